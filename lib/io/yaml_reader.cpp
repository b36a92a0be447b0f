// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/yaml_reader.hpp"

#include "core/error.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace tessera::io {

namespace {

/// Builds the tree from the parser's events, which tell lines, duplicates and aliases better than yaml-cpp's own nodes.
class TreeBuilder : public YAML::EventHandler {
public:
  explicit TreeBuilder(const std::string& file) : file_(file) {}

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(leaf(mark), anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode copy = anchors_[anchor];
    n_nodes_ += copy.items.size();
    TESSERA_REQUIRE(n_nodes_ < max_nodes, place(mark) << "aliases make the input too large.");
    add(std::move(copy), 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = leaf(mark);
    // '!' marks a quoted scalar: "~" in quotes is a text, without them it is no value.
    if (!(tag != "!" && (value == "~" || value == "null")))
      node.kind = YamlNode::Kind::scalar;
    node.text = value;
    add(std::move(node), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, YamlNode::Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, YamlNode::Kind::map);
  }
  void OnMapEnd() override { close(); }

private:
  static constexpr std::size_t max_nodes = 1000000;

  struct Open {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    std::string key;
    int key_line = 0;
  };

  std::string place(const YAML::Mark& mark) const { return file_ + ":" + std::to_string(mark.line + 1) + ": "; }

  YamlNode leaf(const YAML::Mark& mark) {
    ++n_nodes_;
    YamlNode node;
    node.file = file_;
    node.line = mark.line + 1;
    return node;
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
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
    if (anchor != 0)
      anchors_[anchor] = node;
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::map) {
      if (!parent.has_key) {
        TESSERA_REQUIRE(node.kind == YamlNode::Kind::scalar,
                        file_ << ':' << node.line << ": a key must be a plain word.");
        TESSERA_REQUIRE(parent.node.find(node.text) == nullptr, file_ << ':' << node.line << ": the key '" << node.text
                                                                      << "' is given twice, first in line "
                                                                      << parent.node.find(node.text)->line << '.');
        parent.has_key = true;
        parent.key = node.text;
        parent.key_line = node.line;
        return;
      }
      parent.has_key = false;
      node.line = parent.key_line;
      parent.node.keys.push_back(parent.key);
    }
    parent.node.items.push_back(std::move(node));
  }

  const std::string& file_;
  YamlNode root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t n_nodes_ = 0;
};

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
                  origin << " needs KEY=VALUE, for example solver.max_iterations=500; got '" << text << "'.");
  return {text.substr(0, equals), text.substr(equals + 1), origin};
}

YamlNode parse_yaml(const std::string& text, const std::string& file) {
  std::istringstream stream(text);
  try {
    YAML::Parser parser(stream);
    TreeBuilder builder(file);
    if (!parser.HandleNextDocument(builder))
      return {};
    YamlNode root = builder.take();
    TreeBuilder second(file);
    TESSERA_REQUIRE(!parser.HandleNextDocument(second), file << ": holds more than one YAML document ('---').");
    return root;
  } catch (const YAML::Exception& error) {
    std::ostringstream message;
    message << file;
    if (error.mark.line >= 0)
      message << ':' << error.mark.line + 1 << ':' << error.mark.column + 1;
    message << ": not valid YAML: " << error.msg << '.';
    throw Error(ErrorKind::input, message.str());
  }
}

YamlNode read_yaml(const std::string& file) {
  std::error_code error;
  TESSERA_REQUIRE(std::filesystem::exists(file, error), "The input file '" << file << "' does not exist.");
  TESSERA_REQUIRE(!std::filesystem::is_directory(file, error), "The input file '" << file << "' is a folder.");
  std::ifstream stream(file, std::ios::binary);
  TESSERA_REQUIRE(stream, "The input file '" << file << "' cannot be read.");
  std::ostringstream text;
  text << stream.rdbuf();
  return parse_yaml(text.str(), file);
}

void apply_override(YamlNode& root, const Override& override_) {
  YamlNode* node = &root;
  std::string rest = override_.path;
  for (;;) {
    if (node->kind == YamlNode::Kind::null && !override_.value.empty()) {
      node->kind = YamlNode::Kind::map;
    }
    TESSERA_REQUIRE(node->kind == YamlNode::Kind::map || node->kind == YamlNode::Kind::null,
                    override_.origin << ": '" << override_.path << "' does not lead to a key: the part before '" << rest
                                     << "' is not a map.");
    const std::string key = leading_key(*node, rest);
    TESSERA_REQUIRE(!key.empty(), override_.origin << ": '" << override_.path << "' has an empty key.");
    const bool last = rest.size() == key.size();
    YamlNode* child = node->find(key);
    if (override_.value.empty()) {
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
      set_origin(*child, override_.origin);
    }
    if (last) {
      // Only brackets and quotes start YAML proper: an expression with "? :" is a text on the command line.
      const char first = override_.value[0];
      if (first == '[' || first == '{' || first == '"' || first == '\'') {
        *child = parse_yaml(override_.value, override_.origin);
      } else {
        *child = YamlNode();
        child->kind = YamlNode::Kind::scalar;
        child->text = override_.value;
      }
      set_origin(*child, override_.origin);
      return;
    }
    node = child;
    rest = rest.substr(key.size() + 1);
  }
}

} // namespace tessera::io
