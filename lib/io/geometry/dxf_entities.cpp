// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/geometry/dxf_entities.hpp"

#include "core/error.hpp"
#include "io/input/input_text.hpp"

#include <cmath>
#include <cstdlib>

namespace tessera::io::detail {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

/// Texts that are not UTF-8 are read as Latin-1, which is close to the encoding of older Western drawings.
std::string utf8_of(const std::string& text) {
  if (is_utf8(text))
    return text;
  std::string converted;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      converted += c;
    } else {
      converted += static_cast<char>(0xc0 | (byte >> 6));
      converted += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return converted;
}

/// The pairs of a text, one after the other.
class PairReader {
public:
  PairReader(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  /// Reads the next pair; the text must not end before "EOF".
  DxfPair next() {
    DxfPair pair;
    pair.line = line_ + 1;
    TESSERA_REQUIRE(at_ < text_.size(), file_ << ": the drawing ends in line " << line_
                                              << " without EOF: the file is cut off, or no drawing (DXF).");
    const std::string code = trimmed(line());
    char* end = nullptr;
    const long number = std::strtol(code.c_str(), &end, 10);
    TESSERA_REQUIRE(!code.empty() && *end == '\0' && number >= -5 && number <= 1071,
                    file_ << ":" << pair.line << ": expected a group code of a drawing (DXF), found '"
                          << printable(code) << "'.");
    pair.code = static_cast<int>(number);
    pair.value = utf8_of(trimmed(line()));
    return pair;
  }

private:
  std::string line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string content = text_.substr(std::min(at_, text_.size()), end - std::min(at_, text_.size()));
    at_ = end + 1;
    ++line_;
    return content;
  }

  const std::string& text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 0;
};

/// Entry of the table of layers: negative colours mean off, bit 1 of the flags frozen.
void note_layer(const DxfEntity& layer, DxfText& drawing) {
  if (layer.integer(62, 7) < 0 || (layer.integer(70, 0) & 1) != 0)
    drawing.hidden_layers.insert(layer.text(2, ""));
}

/// Collects the records of a drawing.
class RecordStore {
public:
  RecordStore(DxfText& drawing, const std::string& file) : drawing_(drawing), file_(file) {}

  void add(DxfEntity record, const std::string& section) {
    if (record.type.empty())
      return;
    if (section == "TABLES" && record.type == "LAYER")
      note_layer(record, drawing_);
    if (section == "BLOCKS")
      add_to_blocks(std::move(record));
    else if (section == "ENTITIES")
      drawing_.entities.push_back(std::move(record));
  }

  /// Ends the section at `line`.
  void end_section(int line) const {
    TESSERA_REQUIRE(open_ == nullptr, file_ << ":" << line << ": the block '" << printable(name_)
                                            << "' is not ended by ENDBLK; the file is damaged.");
  }

private:
  void add_to_blocks(DxfEntity record) {
    if (record.type == "BLOCK") {
      end_section(record.line);
      name_ = record.text(2, "");
      const bool is_new = drawing_.blocks.count(name_) == 0;
      open_ = &drawing_.blocks[name_];
      TESSERA_REQUIRE(is_new || open_->entities.empty(), // empty ones are harmless
                      record.file << ":" << record.line << ": the block '" << printable(name_)
                                  << "' is defined twice; a drawing has each once.");
      open_->base = {record.number(10, 0.), record.number(20, 0.), record.number(30, 0.)};
    } else if (record.type == "ENDBLK") {
      open_ = nullptr;
    } else {
      TESSERA_REQUIRE(open_ != nullptr, record.location() << " stands between blocks, in none of them; the file is "
                                                             "damaged.");
      open_->entities.push_back(std::move(record));
    }
  }

  DxfText& drawing_;
  const std::string& file_;
  std::string name_; ///< of the last block
  DxfBlock* open_ = nullptr;
};

} // namespace

const DxfPair* DxfEntity::find(int code) const {
  for (const DxfPair& pair : pairs)
    if (pair.code == code)
      return &pair;
  return nullptr;
}

std::string DxfEntity::text(int code, const std::string& otherwise) const {
  const DxfPair* pair = find(code);
  return pair == nullptr ? otherwise : pair->value;
}

double DxfEntity::number_of(const DxfPair& pair) const {
  char* end = nullptr;
  const double number = std::strtod(pair.value.c_str(), &end);
  const bool is_decimal = pair.value.find_first_not_of("0123456789+-.eE") == std::string::npos;
  TESSERA_REQUIRE(!pair.value.empty() && is_decimal && *end == '\0' && std::isfinite(number),
                  file << ":" << pair.line + 1 << ": " << type << ": expected a finite number, found '"
                       << printable(pair.value) << "'.");
  return number;
}

const DxfPair* DxfEntity::find_once(int code) const {
  constexpr int embedded_object = 101; // followed by codes with other meanings
  const DxfPair* first = find(code);
  for (const DxfPair& pair : pairs) {
    if (pair.code == embedded_object)
      break;
    TESSERA_REQUIRE(pair.code != code || first == nullptr || pair.value == first->value,
                    location() << " gives group code " << code << " twice, as " << printable(first->value)
                               << " and in line " << pair.line + 1 << " as " << printable(pair.value)
                               << "; the file is damaged.");
  }
  return first;
}

double DxfEntity::number(int code, double otherwise) const {
  const DxfPair* pair = find_once(code);
  return pair == nullptr ? otherwise : number_of(*pair);
}

double DxfEntity::number(int code) const {
  const DxfPair* pair = find_once(code);
  TESSERA_REQUIRE(pair != nullptr, location()
                                       << " lacks the number of group code " << code << "; the file is damaged.");
  return number_of(*pair);
}

int DxfEntity::integer(int code, int otherwise) const {
  const double value = number(code, otherwise);
  TESSERA_REQUIRE(std::fabs(value) < 2e9 && value == std::floor(value),
                  location() << ": group code " << code << " is " << value << ", no whole number.");
  return static_cast<int>(value);
}

std::string DxfEntity::location() const {
  return file + ":" + std::to_string(line) + ": " + printable(type, 40) + " on layer '" + printable(layer()) + "'";
}

DxfText split_dxf(const std::string& text, const std::string& file) {
  TESSERA_REQUIRE(text.rfind("AutoCAD Binary DXF", 0) != 0,
                  file << " is a binary drawing. Save it as ASCII DXF, of any version.");
  TESSERA_REQUIRE(text.find('\0') == std::string::npos, file << " is no text, but a drawing (DXF) is.");
  DxfText drawing;
  PairReader in(text, file);
  std::string section, variable;
  RecordStore store(drawing, file);
  DxfEntity record;
  int section_line = 0;
  bool is_in_section = false;
  while (true) {
    DxfPair pair = in.next();
    if (pair.code == 999) // a comment
      continue;
    if (pair.code == 9 && section == "HEADER") {
      variable = pair.value;
      continue;
    }
    if (pair.code != 0) {
      if (section == "HEADER")
        drawing.variables.emplace(variable, pair.value);
      else if (section.empty() && pair.code == 2)
        section = pair.value;
      else
        record.pairs.push_back(std::move(pair));
      continue;
    }
    store.add(std::move(record), section);
    record = {};
    const bool begins = pair.value == "SECTION";
    if (begins || pair.value == "ENDSEC" || pair.value == "EOF") {
      store.end_section(pair.line);
      TESSERA_REQUIRE(!is_in_section || pair.value == "ENDSEC",
                      file << ":" << section_line << ": the section '" << printable(section)
                           << "' is not ended by ENDSEC; the file is damaged.");
      if (pair.value == "EOF")
        return drawing;
      is_in_section = begins;
      section_line = pair.line;
      section.clear();
      continue;
    }
    record.file = file;
    record.type = pair.value;
    record.line = pair.line;
  }
}

} // namespace tessera::io::detail
