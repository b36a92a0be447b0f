// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/yaml_reader.hpp"

#include "core/error.hpp"
#include "io/input/input_text.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <unordered_map>

namespace tessera::io {

namespace {

/// Enough for a file of the maximum size unless it consists of commas; aliases must not multiply it.
constexpr std::size_t max_tree_bytes = 256 << 20;
/// The input format has eight levels. Destructors and readers recurse.
constexpr std::size_t max_depth = 100;
/// YAML's own limit for keys is 1024 characters as they are written, quoted and escaped.
constexpr std::size_t max_key_length = 500;

std::string location(const std::string& file, int line) {
  return printable(file, 300) + ":" + std::to_string(line) + ": ";
}

void check_key(const std::string& key, const std::string& where) {
  TESSERA_REQUIRE(!key.empty(), where << "a key must not be empty.");
  TESSERA_REQUIRE(key.size() <= max_key_length, where << "the key '" << printable(key) << "' has " << key.size()
                                                      << " characters; at most " << max_key_length << " are allowed.");
  TESSERA_REQUIRE(!has_control_characters(key),
                  where << "the key '" << printable(key) << "' holds control characters, which names must not.");
}

void check_text(const std::string& text, const std::string& where) {
  TESSERA_REQUIRE(is_utf8(text), where << "the text '" << printable(text) << "' is not UTF-8, as the input must be.");
  TESSERA_REQUIRE(text.find('\0') == std::string::npos,
                  where << "the text '" << printable(text) << "' holds a NUL character.");
}

/// Builds the tree from the parser's events, with better lines, duplicates and aliases than yaml-cpp's nodes.
class TreeBuilder : public YAML::EventHandler {
public:
  explicit TreeBuilder(const std::string& file) : file_(file) {}

  YamlNode take() { return std::move(root_); }
  /// Line of the last text, counted from 0; both are -1 if there is none.
  int last_line() const { return last_.line; }
  int last_column() const { return last_.column; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(leaf(mark), anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const YamlNode& original = anchors_[anchor];
    // Before the copy: aliases of aliases grow without bound.
    charge(original.bytes, mark.line + 1);
    add(original, 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    check_text(value, location(file_, mark.line + 1));
    // '?' marks a plain scalar: "~" in quotes is a text, without quotes it means no value.
    const bool plain = tag == "?" || tag.empty();
    TESSERA_REQUIRE(!(plain && value == "<<" && expects_key()),
                    location(file_, mark.line + 1)
                        << "merge keys ('<<') are not supported; write the keys, or an alias of a whole map.");
    last_ = mark;
    YamlNode node = leaf(mark);
    if (!(plain && (value.empty() || value == "~" || value == "null" || value == "Null" || value == "NULL")))
      node.kind = YamlNode::Kind::scalar;
    node.text = value;
    node.bytes += value.size();
    charge(value.size(), node.line);
    add(std::move(node), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open(mark, anchor, YamlNode::Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open(mark, anchor, YamlNode::Kind::map);
  }
  void OnMapEnd() override { close(); }

private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    std::string key;
    int key_line = 0;
    std::unordered_map<std::string, int> key_lines; // of all keys
  };

  bool expects_key() const {
    return !open_.empty() && open_.back().node.kind == YamlNode::Kind::map && !open_.back().has_key;
  }

  /// YAML's standard tags have no effect (each key has its type); other tags are errors.
  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    TESSERA_REQUIRE(tag.empty() || tag == "?" || tag == "!" || tag.compare(0, 18, "tag:yaml.org,2002:") == 0,
                    location(file_, mark.line + 1) << "the tag '" << printable(tag) << "' is not supported.");
  }

  void charge(std::size_t bytes, int line) {
    n_bytes_ += bytes;
    TESSERA_REQUIRE(n_bytes_ < max_tree_bytes, location(file_, line)
                                                   << "the input is too large: with its aliases written out it takes "
                                                      "more than "
                                                   << format_bytes(static_cast<double>(max_tree_bytes)) << ".");
  }

  YamlNode leaf(const YAML::Mark& mark) {
    YamlNode node;
    node.file = file_;
    node.line = mark.line + 1;
    node.bytes = sizeof(YamlNode) + file_.size();
    charge(node.bytes, node.line);
    return node;
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
    TESSERA_REQUIRE(open_.size() < max_depth, location(file_, mark.line + 1) << "lists and maps are nested more than "
                                                                             << max_depth << " levels deep.");
    Open entry;
    entry.node = leaf(mark);
    entry.node.kind = kind;
    entry.anchor = anchor;
    open_.push_back(std::move(entry));
  }

  void close() {
    Open entry = std::move(open_.back());
    open_.pop_back();
    add(std::move(entry.node), entry.anchor);
  }

  void add(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      charge(node.bytes, node.line);
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    parent.node.bytes += node.bytes;
    if (expects_key()) {
      take_key(parent, node);
      return;
    }
    if (parent.node.kind == YamlNode::Kind::map) {
      parent.has_key = false;
      node.line = parent.key_line;
      parent.node.keys.push_back(parent.key);
    }
    parent.node.items.push_back(std::move(node));
  }

  void take_key(Open& parent, const YamlNode& node) const {
    const std::string where = location(file_, node.line);
    TESSERA_REQUIRE(node.kind != YamlNode::Kind::null, where << "a key must be a text; put the name "
                                                             << (node.text.empty() ? "null" : node.text)
                                                             << " in quotes.");
    TESSERA_REQUIRE(node.kind == YamlNode::Kind::scalar, where << "a key must be a plain word.");
    check_key(node.text, where);
    const auto added = parent.key_lines.emplace(node.text, node.line);
    TESSERA_REQUIRE(added.second, where << "the key '" << printable(node.text) << "' is given twice, first in line "
                                        << added.first->second << '.');
    parent.has_key = true;
    parent.key = node.text;
    parent.key_line = node.line;
  }

  const std::string& file_;
  YAML::Mark last_ = YAML::Mark::null_mark();
  YamlNode root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t n_bytes_ = 0;
};

/// Line (0-based) where a second document begins, or -1.
class SecondDocument : public YAML::EventHandler {
public:
  int line() const { return line_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    line_ = mark.line;
    throw YAML::ParserException(mark, "second document"); // its contents are irrelevant
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

private:
  int line_ = -1;
};

std::string line_of(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string line;
  for (int k = 0; k <= number && std::getline(lines, line); ++k) {
  }
  return line;
}

/// Whether the text from `line` and `column` on begins with a quote that nothing closes. yaml-cpp ends such a text at
/// the end of the file if a line break precedes it, so that the keys in between would be lost.
bool is_unclosed(const std::string& text, int line, int column) {
  std::size_t i = line == 0 && text.compare(0, 3, "\xef\xbb\xbf") == 0 ? 3 : 0;
  for (int k = 0; k < line; ++k)
    i = text.find('\n', i) + 1;
  i += static_cast<std::size_t>(column);
  while (i < text.size() && (text[i] == '&' || text[i] == '!')) { // skip anchors and tags
    i = text.find_first_of(" \r\n", i);
    i = i == std::string::npos ? i : text.find_first_not_of(" \r\n", i);
  }
  if (i >= text.size() || (text[i] != '"' && text[i] != '\''))
    return false;
  const char quote = text[i];
  for (++i; i < text.size(); ++i)
    if (quote == '"' && text[i] == '\\')
      ++i;
    else if (text[i] == quote && quote == '\'' && text[i + 1] == quote) // two denote one
      ++i;
    else if (text[i] == quote)
      return false;
  return true;
}

/// Rephrases yaml-cpp's messages about the two most frequent mistakes.
std::string explained(const std::string& message, const std::string& line) {
  namespace Words = YAML::ErrorMsg;
  const std::size_t text_begin = line.find_first_not_of(" \t");
  if (line.substr(0, text_begin).find('\t') != std::string::npos)
    return "a tab indents this line; YAML takes spaces only";
  if (message == Words::END_OF_MAP || message == Words::END_OF_SEQ)
    return "this line is not indented as those that it belongs to";
  if (message == Words::MAP_VALUE)
    return "a ':' where no value can begin; this line is indented too far, or a text that holds ': ' needs quotes";
  return printable(message, 200);
}

/// Marks a tree as coming from an option.
void set_origin(YamlNode& node, const std::string& origin) {
  node.file = origin;
  node.line = 0;
  for (YamlNode& item : node.items)
    set_origin(item, origin);
}

/// Key of `map` at the start of `path`, the longest one; otherwise the part before the first dot.
std::string leading_key(const YamlNode& map, const std::string& path) {
  std::string best;
  for (const std::string& key : map.keys)
    if (key.size() > best.size() && path.compare(0, key.size(), key) == 0 &&
        (path.size() == key.size() || path[key.size()] == '.'))
      best = key;
  return best.empty() ? path.substr(0, path.find('.')) : best;
}

} // namespace

const YamlNode* YamlNode::find(const std::string& key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i] == key)
      return &items[i];
  return nullptr;
}

YamlNode* YamlNode::find(const std::string& key) {
  return const_cast<YamlNode*>(static_cast<const YamlNode*>(this)->find(key));
}

Override parse_override(const std::string& text, const std::string& origin) {
  const std::size_t equals = text.find('=');
  TESSERA_REQUIRE(equals != std::string::npos && equals > 0,
                  origin << " needs KEY=VALUE, for example solver.max_iterations=500; got '" << printable(text)
                         << "'.");
  return {text.substr(0, equals), text.substr(equals + 1), origin};
}

YamlNode parse_yaml(const std::string& text, const std::string& file) {
  const bool is_utf16 = text.compare(0, 2, "\xff\xfe") == 0 || text.compare(0, 2, "\xfe\xff") == 0;
  const std::size_t nul = is_utf16 ? std::string::npos : text.find('\0');
  TESSERA_REQUIRE(
      nul == std::string::npos,
      location(file, 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(nul), '\n')))
          << "holds a NUL byte: this is no text file.");
  std::istringstream stream(text);
  SecondDocument second;
  try {
    YAML::Parser parser(stream);
    TreeBuilder builder(file);
    if (!parser.HandleNextDocument(builder))
      return {};
    TESSERA_REQUIRE(
        is_utf16 || builder.last_line() < 0 || !is_unclosed(text, builder.last_line(), builder.last_column()),
        location(file, builder.last_line() + 1) << "a text in quotes begins here, whose closing quote is missing.");
    parser.HandleNextDocument(second);
    return builder.take();
  } catch (const YAML::Exception& error) {
    std::ostringstream message;
    message << printable(file, 300);
    if (second.line() >= 0) {
      message << ':' << second.line() + 1 << ": "
              << (line_of(text, second.line()).compare(0, 3, "---") == 0
                      ? "a second YAML document begins here ('---'); a case is one."
                      : "this line does not belong to what stands before it: keys of one level begin in the same "
                        "column.");
    } else {
      if (error.mark.line >= 0)
        message << ':' << error.mark.line + 1 << ':' << error.mark.column + 1;
      message << ": not valid YAML: " << explained(error.msg, line_of(text, error.mark.line)) << '.';
    }
    throw Error(ErrorKind::input, message.str());
  }
}

namespace {

/// "; there is 'case.yaml'" if a name lacks its extension, has the other one, or is that of the case's folder.
std::string similar_file(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path given(file);
  for (const char* ending : {".yaml", ".yml"})
    for (const fs::path& other : {fs::path(given).replace_extension(ending), fs::path(file + ending),
                                  given / (given.filename().string() + ending)})
      if (other != given && fs::is_regular_file(other, ignored))
        return "; there is '" + printable(other.string(), 300) + "'";
  return "";
}

} // namespace

YamlNode read_yaml(const std::string& file) {
  const FileText content = read_small_file(file, max_yaml_bytes);
  TESSERA_REQUIRE(content.error.empty(),
                  "The input file '" << printable(file, 300) << "' " << content.error << similar_file(file) << ".");
  return parse_yaml(content.text, file);
}

const YamlNode* value_at(const YamlNode& root, const std::string& path) {
  const YamlNode* node = &root;
  for (std::string rest = path;;) {
    const std::string key = leading_key(*node, rest);
    node = node->find(key);
    if (node == nullptr || rest.size() == key.size())
      return node;
    rest = rest.substr(key.size() + 1);
  }
}

void set_value(YamlNode& root, const std::string& path, const YamlNode& value, const std::string& origin) {
  const bool removes = value.kind == YamlNode::Kind::null;
  TESSERA_REQUIRE(static_cast<std::size_t>(std::count(path.begin(), path.end(), '.')) < max_depth,
                  origin << ": '" << printable(path) << "' has more than " << max_depth << " levels.");
  YamlNode* node = &root;
  std::string rest = path;
  for (;;) {
    if (node->kind == YamlNode::Kind::null && !removes) {
      node->kind = YamlNode::Kind::map;
    }
    TESSERA_REQUIRE(node->kind == YamlNode::Kind::map || node->kind == YamlNode::Kind::null,
                    (Location{node->file, node->line, path.substr(0, path.size() - rest.size() - 1)}.text())
                        << ": expected a map of keys and values, found "
                        << (node->kind == YamlNode::Kind::sequence ? "a list" : "one value") << "; " << origin
                        << " sets '" << printable(path) << "' in it.");
    const std::string key = leading_key(*node, rest);
    check_key(key, origin + ": '" + printable(path) + "': ");
    const bool last = rest.size() == key.size();
    YamlNode* child = node->find(key);
    if (removes) {
      if (child == nullptr)
        return;
      if (last) {
        const auto index = child - node->items.data();
        node->items.erase(node->items.begin() + index);
        node->keys.erase(node->keys.begin() + index);
        return;
      }
    }
    if (child == nullptr) {
      node->keys.push_back(key);
      node->items.emplace_back();
      child = &node->items.back();
      child->file = value.file;
      child->line = value.line;
    }
    if (last) {
      *child = value;
      return;
    }
    node = child;
    rest = rest.substr(key.size() + 1);
  }
}

void apply_override(YamlNode& root, const Override& override_) {
  const std::string& text = override_.value;
  check_text(override_.path, override_.origin + ": ");
  check_text(text, override_.origin + ": ");
  YamlNode value; // of an empty text: no value
  // Only brackets and quotes begin YAML syntax: an expression with "? :" is a text on the command line.
  const char first = text.empty() ? '\0' : text[0];
  if (first == '[' || first == '{' || first == '"' || first == '\'') {
    value = parse_yaml(text, override_.origin);
  } else if (!text.empty()) {
    value.kind = YamlNode::Kind::scalar;
    value.text = text;
  }
  set_origin(value, override_.origin);
  set_value(root, override_.path, value, override_.origin);
}

} // namespace tessera::io
