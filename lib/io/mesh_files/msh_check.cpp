// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_files/msh_check.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::io {

namespace {

using Tag = std::int64_t;

/// Number of nodes of Gmsh's element types; 0: unknown type.
std::size_t n_nodes_of(Tag type) {
  constexpr int n_nodes[] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                             8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
  return type > 0 && type < static_cast<Tag>(std::size(n_nodes)) ? static_cast<std::size_t>(n_nodes[type]) : 0;
}

class MshReader {
public:
  explicit MshReader(const std::string& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    text_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }

  std::vector<PhysicalName> check() {
    if (read_format())
      read_sections();
    return std::move(names_);
  }

private:
  void read_sections() {
    std::string_view line;
    while (next_line(line)) {
      if (line == "$Nodes")
        (is_old_ ? read_old_nodes() : read_nodes());
      else if (line == "$Elements")
        (is_old_ ? read_old_elements() : read_elements());
      else if (line == "$PhysicalNames")
        read_names();
      else if (line.size() > 1 && line[0] == '$')
        skip_section(line);
      if (is_unknown_)
        return;
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    std::size_t place = at_;
    if (!is_binary_)
      place = static_cast<std::size_t>(
          std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(line_begin_), '\n') + 1);
    TESSERA_REQUIRE(false, path_ << ", " << (is_binary_ ? "byte " : "line ") << place << ": " << what);
  }

  // --- text

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  /// The next non-blank line, without its terminator.
  bool next_line(std::string_view& line) {
    while (at_ < text_.size()) {
      line_begin_ = at_;
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      line = std::string_view(text_).substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      while (!line.empty() && is_blank(line.back()))
        line.remove_suffix(1);
      while (!line.empty() && is_blank(line.front()))
        line.remove_prefix(1);
      if (!line.empty())
        return true;
    }
    line_begin_ = at_;
    return false;
  }

  static bool next_word(std::string_view& line, std::string_view& word) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
      return false;
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return true;
  }

  bool next_tag(std::string_view& line, Tag& tag) const {
    std::string_view word;
    if (!next_word(line, word))
      return false;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), tag);
    if (error != std::errc() || end != word.data() + word.size())
      fail("'" + std::string(word) + "' is no whole number.");
    return true;
  }

  /// A line of at least `n` integers.
  std::vector<Tag> tags_of_line(std::size_t n, const char* what) {
    std::string_view line;
    std::vector<Tag> tags;
    Tag tag = 0;
    if (next_line(line) && line[0] != '$')
      while (next_tag(line, tag))
        tags.push_back(tag);
    if (tags.size() < n)
      fail(std::string("expected ") + what + "; there are fewer than announced, or the line is cut off.");
    return tags;
  }

  /// `n` coordinates.
  void coordinates_of_line(std::string_view line, std::size_t n) const {
    std::string_view word;
    std::size_t n_found = 0;
    for (; next_word(line, word); ++n_found) {
      char* end = nullptr;
      std::strtod(word.data(), &end); // the text ends with a zero or another character that is not part of a number
      if (end != word.data() + word.size())
        fail("'" + std::string(word) + "' is no number.");
    }
    if (n_found != n)
      fail("a node has " + std::to_string(n_found) + " coordinates instead of " + std::to_string(n) + ".");
  }

  void end_of(const char* section, Tag n_announced) {
    std::string_view line;
    const std::string end = std::string("$End") + section;
    if (!next_line(line) || line != end)
      fail("expected " + end + " after the " + std::to_string(n_announced) + " entries that $" + section +
           " announces, found " + (line.empty() ? "the end of the file" : "'" + std::string(line.substr(0, 40)) + "'") +
           ".");
  }

  void skip_section(std::string_view name) {
    const std::string end = "$End" + std::string(name.substr(1));
    const std::size_t found = text_.find(end, at_);
    at_ = found == std::string::npos ? text_.size() : found + end.size();
  }

  // --- binary

  template <class T> T binary() {
    T value;
    if (text_.size() - at_ < sizeof(T))
      fail("the file ends before all nodes and elements that it announces.");
    char bytes[sizeof(T)];
    std::memcpy(bytes, &text_[at_], sizeof(T));
    if (is_swapped_)
      std::reverse(bytes, bytes + sizeof(T));
    std::memcpy(&value, bytes, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  void skip_bytes(std::size_t n, std::size_t size) {
    if ((text_.size() - at_) / size < n)
      fail("the file ends before all nodes and elements that it announces.");
    at_ += n * size;
  }

  // --- both

  /// Reads the first section; false if the format is unknown here.
  bool read_format() {
    std::string_view line, version, kind;
    if (!next_line(line) || line != "$MeshFormat" || !next_line(line) || !next_word(line, version) ||
        !next_word(line, kind))
      return false;
    is_old_ = version.substr(0, 2) == "2." || version == "2";
    is_first_four_ = version == "4" || version == "4.0";
    const bool is_binary = kind == "1";
    if ((!is_old_ && !is_first_four_ && version != "4.1") || (is_binary && is_first_four_))
      return false;
    if (is_binary) {
      is_binary_ = true;
      is_swapped_ = false;
      is_swapped_ = binary<std::int32_t>() != 1;
    }
    skip_section("$MeshFormat");
    return true;
  }

  /// In text form also in binary files. Invalid names are left to Gmsh.
  void read_names() {
    std::string_view line;
    while (next_line(line) && line != "$EndPhysicalNames") {
      const std::size_t begin = line.find('"'), end = line.rfind('"');
      Tag dimension = 0, number = 0;
      if (begin == std::string_view::npos || end <= begin)
        continue;
      const std::string_view name = line.substr(begin + 1, end - begin - 1);
      line = line.substr(0, begin);
      if (next_tag(line, dimension) && next_tag(line, number))
        names_.push_back({static_cast<int>(dimension), static_cast<int>(number), std::string(name)});
    }
  }

  void add_node(Tag tag) {
    nodes_ascend_ = nodes_ascend_ && (nodes_.empty() || tag > nodes_.back());
    nodes_.push_back(tag);
  }

  /// Prepares nodes_ for look-ups.
  void close_nodes() {
    if (!nodes_ascend_)
      std::sort(nodes_.begin(), nodes_.end());
    const auto twin = std::adjacent_find(nodes_.begin(), nodes_.end());
    if (twin != nodes_.end())
      fail("node " + std::to_string(*twin) + " is given twice.");
    is_dense_ = !nodes_.empty() && nodes_.back() - nodes_.front() + 1 == static_cast<Tag>(nodes_.size());
  }

  void check_node(Tag element, Tag node) const {
    const bool is_given = is_dense_ ? node >= nodes_.front() && node <= nodes_.back()
                                    : std::binary_search(nodes_.begin(), nodes_.end(), node);
    if (!is_given)
      fail("element " + std::to_string(element) + " refers to node " + std::to_string(node) +
           ", which the file does not give.");
  }

  void add_element(Tag tag, Tag group) {
    const std::pair<Tag, Tag> element(tag, group);
    elements_ascend_ = elements_ascend_ && (elements_.empty() || element > elements_.back());
    elements_.push_back(element);
  }

  void close_elements() {
    if (!elements_ascend_)
      std::sort(elements_.begin(), elements_.end());
    const auto twin = std::adjacent_find(elements_.begin(), elements_.end());
    if (twin != elements_.end())
      fail("element " + std::to_string(twin->first) + " is given twice.");
  }

  // --- format 2

  void read_old_nodes() {
    const Tag n = tags_of_line(1, "the number of nodes")[0];
    for (Tag i = 0; i < n; ++i) {
      if (is_binary_) {
        add_node(binary<std::int32_t>());
        skip_bytes(3, sizeof(double));
        continue;
      }
      std::string_view line;
      Tag tag = 0;
      if (!next_line(line) || line[0] == '$')
        fail("$Nodes announces " + std::to_string(n) + " nodes, but gives " + std::to_string(i) + ".");
      next_tag(line, tag);
      coordinates_of_line(line, 3);
      add_node(tag);
    }
    end_of("Nodes", n);
    close_nodes();
  }

  void read_old_elements() {
    const Tag n = tags_of_line(1, "the number of elements")[0];
    for (Tag i = 0; i < n && is_binary_;) {
      const Tag type = binary<std::int32_t>(), n_block = binary<std::int32_t>(), n_tags = binary<std::int32_t>();
      const std::size_t n_nodes = n_nodes_of(type);
      is_unknown_ = n_nodes == 0;
      if (is_unknown_)
        return;
      if (n_block < 1 || n_block > n - i || n_tags < 0 || n_tags > 1000)
        fail("a block of " + std::to_string(n_block) + " elements with " + std::to_string(n_tags) +
             " tags each; $Elements announces " + std::to_string(n) + " elements.");
      for (Tag k = 0; k < n_block; ++k, ++i) {
        const Tag tag = binary<std::int32_t>();
        Tag group = 0;
        for (Tag t = 0; t < n_tags; ++t) {
          const Tag value = binary<std::int32_t>();
          group = t == 0 ? value : group;
        }
        for (std::size_t a = 0; a < n_nodes; ++a)
          check_node(tag, binary<std::int32_t>());
        add_element(tag, group);
      }
    }
    for (Tag i = 0; i < n && !is_binary_; ++i) {
      std::string_view line;
      Tag tag = 0, type = 0, n_tags = 0, group = 0, value = 0;
      if (!next_line(line) || line[0] == '$')
        fail("$Elements announces " + std::to_string(n) + " elements, but gives " + std::to_string(i) + ".");
      bool is_whole = next_tag(line, tag) && next_tag(line, type) && next_tag(line, n_tags);
      for (Tag t = 0; t < n_tags && is_whole; ++t) {
        is_whole = next_tag(line, value);
        group = t == 0 ? value : group;
      }
      std::size_t n_found = 0;
      for (; is_whole && next_tag(line, value); ++n_found)
        check_node(tag, value);
      if (!is_whole || (n_nodes_of(type) != 0 && n_found != n_nodes_of(type)))
        fail("element " + std::to_string(tag) + " has " + std::to_string(n_found) +
             " nodes, which does not go with its type " + std::to_string(type) + ".");
      add_element(tag, group);
    }
    end_of("Elements", n);
    close_elements();
  }

  // --- format 4

  /// Header of a section: numbers of blocks and of entries.
  std::pair<Tag, Tag> read_header() {
    if (!is_binary_) {
      const std::vector<Tag> header = tags_of_line(2, "the numbers of blocks and of entries");
      return {header[0], header[1]};
    }
    const auto n_blocks = binary<std::uint64_t>(), n = binary<std::uint64_t>();
    skip_bytes(2, sizeof(std::uint64_t)); // smallest and largest number
    return {static_cast<Tag>(n_blocks), static_cast<Tag>(n)};
  }

  struct Block {
    Tag dimension = 0;
    Tag kind = 0; ///< of nodes: parametric; of elements: the type
    Tag n = 0;
  };

  Block read_block(Tag n_left) {
    Block block;
    if (is_binary_) {
      block.dimension = binary<std::int32_t>();
      binary<std::int32_t>();
      block.kind = binary<std::int32_t>();
      block.n = static_cast<Tag>(binary<std::uint64_t>());
    } else {
      const std::vector<Tag> header = tags_of_line(4, "the header of a block");
      block = {header[is_first_four_ ? 1 : 0], header[2], header[3]};
    }
    if (block.n < 0 || block.n > n_left || block.dimension < 0 || block.dimension > 3)
      fail("a block of " + std::to_string(block.n) + " entries of dimension " + std::to_string(block.dimension) +
           ", where " + std::to_string(n_left) + " are left of those announced.");
    return block;
  }

  void read_nodes() {
    const auto [n_blocks, n] = read_header();
    Tag n_left = n;
    for (Tag b = 0; b < n_blocks; ++b) {
      const Block block = read_block(n_left);
      const std::size_t width = 3 + static_cast<std::size_t>(block.kind != 0 ? block.dimension : 0);
      n_left -= block.n;
      for (Tag i = 0; i < block.n; ++i)
        if (is_binary_) {
          add_node(static_cast<Tag>(binary<std::uint64_t>()));
        } else {
          std::string_view line;
          Tag tag = 0;
          if (!next_line(line) || line[0] == '$')
            fail("$Nodes announces more nodes than it gives.");
          next_tag(line, tag);
          if (is_first_four_)
            coordinates_of_line(line, width);
          else if (line.find_first_not_of(" \t") != std::string_view::npos)
            fail("expected the number of a node alone.");
          add_node(tag);
        }
      if (is_binary_)
        skip_bytes(static_cast<std::size_t>(block.n), width * sizeof(double));
      for (Tag i = 0; i < block.n && !is_binary_ && !is_first_four_; ++i) {
        std::string_view line;
        if (!next_line(line) || line[0] == '$')
          fail("$Nodes announces more nodes than it gives.");
        coordinates_of_line(line, width);
      }
    }
    if (n_left != 0)
      fail("$Nodes announces " + std::to_string(n) + " nodes, but its blocks have " + std::to_string(n - n_left) + ".");
    end_of("Nodes", n);
    close_nodes();
  }

  void read_elements() {
    const auto [n_blocks, n] = read_header();
    Tag n_left = n;
    for (Tag b = 0; b < n_blocks; ++b) {
      const Block block = read_block(n_left);
      const std::size_t n_nodes = n_nodes_of(block.kind);
      n_left -= block.n;
      is_unknown_ = n_nodes == 0;
      if (is_unknown_)
        return;
      for (Tag i = 0; i < block.n; ++i) {
        Tag tag = 0, node = 0;
        if (is_binary_) {
          tag = static_cast<Tag>(binary<std::uint64_t>());
          for (std::size_t a = 0; a < n_nodes; ++a)
            check_node(tag, static_cast<Tag>(binary<std::uint64_t>()));
        } else {
          std::string_view line;
          if (!next_line(line) || line[0] == '$')
            fail("$Elements announces more elements than it gives.");
          next_tag(line, tag);
          std::size_t n_found = 0;
          for (; next_tag(line, node); ++n_found)
            check_node(tag, node);
          if (n_found != n_nodes)
            fail("element " + std::to_string(tag) + " has " + std::to_string(n_found) +
                 " nodes, which does not go with its type " + std::to_string(block.kind) + ".");
        }
        add_element(tag, 0);
      }
    }
    if (n_left != 0)
      fail("$Elements announces " + std::to_string(n) + " elements, but its blocks have " + std::to_string(n - n_left) +
           ".");
    end_of("Elements", n);
    close_elements();
  }

  std::string path_;
  std::string text_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  bool is_old_ = false;        ///< format 2
  bool is_first_four_ = false; ///< format 4.0, whose blocks differ
  bool is_binary_ = false;
  bool is_swapped_ = false; ///< numbers have the other byte order
  bool is_unknown_ = false; ///< an element type that cannot be counted
  std::vector<Tag> nodes_;
  bool nodes_ascend_ = true;
  bool is_dense_ = false;                     ///< nodes_ has no gaps
  std::vector<std::pair<Tag, Tag>> elements_; ///< with their first tag, the physical group, in format 2
  bool elements_ascend_ = true;
  std::vector<PhysicalName> names_;
};

} // namespace

std::vector<PhysicalName> check_msh(const std::string& path) { return MshReader(path).check(); }

} // namespace tessera::io
