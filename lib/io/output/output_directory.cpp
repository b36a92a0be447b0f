// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/output_directory.hpp"

#include "io/atomic_file.hpp"
#include "io/input/yaml_reader.hpp"
#include "io/output/console.hpp"
#include "io/pictures/reports/html_report.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace tessera::io {

namespace fs = std::filesystem;

namespace {

/// Random UUID: version 4, variant 10 (RFC 4122).
std::string random_uuid() {
  const std::string d = random_digits(31);
  const char variant = "89ab"[d[15] % 4];
  return d.substr(0, 8) + "-" + d.substr(8, 4) + "-4" + d.substr(12, 3) + "-" + variant + d.substr(16, 3) + "-" +
         d.substr(19);
}

/// Creates a folder and returns its path.
std::string made_directory(const std::string& path) {
  std::error_code error, ignored;
  fs::create_directories(path, error);
  TESSERA_REQUIRE(fs::is_directory(path, ignored),
                  "The output directory '"
                      << path << "' cannot be made: " << (error ? error.message() : "a file has this name") << ".");
  return path;
}

/// Whether a name is one that runs give to their files; other files in the folder are left alone.
bool is_output(const std::string& name) {
  return name == "report.yaml" || name == pictures::html_report_name || name == "resolved.yaml" ||
         name == "compare.yaml" || name == "fields.vtkhdf" || fs::path(name).extension() == ".csv";
}

/// Removes the temporary files of a folder to which no other process writes: they belong to processes that could not
/// remove them.
void remove_temporaries(const std::string& path) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored))
    if (is_output(file_of_temporary(entry.path().filename().string())))
      fs::remove(entry.path(), ignored);
}

/// Reads the entries under a top-level key of a report: the keys of a map, or the texts of a list. Parses only these
/// lines, because histories make reports long; returns nothing for a damaged file.
std::vector<std::string> names_under(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != ' ')
      inside = line.compare(0, key.size() + 1, key + ":") == 0;
    if (inside)
      text += line + "\n";
  }
  std::vector<std::string> names;
  try {
    const YamlNode tree = parse_yaml(text, path);
    if (const YamlNode* node = tree.find(key)) {
      names = node->keys;
      for (const YamlNode& item : node->items)
        if (node->kind == YamlNode::Kind::sequence)
          names.push_back(item.text);
    }
  } catch (const Error&) {
    names.clear();
  }
  return names;
}

/// Checksum of POSIX' command cksum: CRC-32 with the polynomial 0x04c11db7 of the bytes and of their number.
class Cksum {
public:
  Cksum() {
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t row = i << 24;
      for (int bit = 0; bit < 8; ++bit)
        row = (row << 1) ^ ((row & 0x80000000u) != 0 ? 0x04c11db7u : 0u);
      table_[i] = row;
    }
  }
  void add(unsigned char byte) { crc_ = (crc_ << 8) ^ table_[(crc_ >> 24) ^ byte]; }
  std::uint32_t finish(std::uint64_t n_bytes) {
    for (; n_bytes != 0; n_bytes >>= 8)
      add(static_cast<unsigned char>(n_bytes & 0xff));
    return ~crc_;
  }

private:
  std::array<std::uint32_t, 256> table_;
  std::uint32_t crc_ = 0;
};

} // namespace

OutputDirectory::OutputDirectory(const std::string& path, RunArrays* arrays)
    : path_(made_directory(path)), arrays_(arrays), run_id_(random_uuid()) {
  lock_.emplace(path_);
  check_writable(file("report.yaml"));
  if (!lock_->is_held()) {
    Console::warning("The file system of '" + path_ +
                     "' does not support locks: a second run into it would not be noticed.");
    return;
  }
  remove_temporaries(path_);
}

OutputDirectory::OutputDirectory(RunArrays& arrays) : arrays_(&arrays), run_id_(random_uuid()) {}

void remove_remains(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored))
    return;
  try {
    const DirectoryLock lock(path); // released with the object
    if (lock.is_held())
      remove_temporaries(path);
  } catch (const Error&) { // held by another run, or the folder cannot be written
  }
}

void OutputDirectory::begin_writing() const {
  if (!writes_files())
    return;
  for (const char* name : {"report.yaml", pictures::html_report_name}) {
    std::error_code error;
    fs::remove(file(name), error);
    TESSERA_REQUIRE_KIND(!error, ErrorKind::resource,
                         "Cannot replace '" << file(name) << "': " << error.message() << ".");
  }
}

std::vector<std::string> OutputDirectory::files_of_earlier_runs(const std::vector<std::string>& names) const {
  std::vector<std::string> found;
  if (!writes_files())
    return found;
  std::error_code ignored;
  for (const char* key : {"files", "earlier_files"})
    for (const std::string& name : names_under(file("report.yaml"), key))
      if (is_output(name) && fs::path(name).filename() == name && fs::is_regular_file(file(name), ignored) &&
          std::find(names.begin(), names.end(), name) == names.end())
        found.push_back(name);
  return found;
}

void describe_file(const std::string& path, ReportNode& report) {
  std::ifstream file(path, std::ios::binary);
  TESSERA_REQUIRE_KIND(file, ErrorKind::resource,
                       "Cannot read '" << path << "' again: " << std::strerror(errno) << ".");
  std::error_code ignored;
  report["bytes"] = static_cast<std::int64_t>(fs::file_size(path, ignored)); // -1 if it was removed meanwhile
  if (fs::path(path).filename() == "fields.vtkhdf")
    return;
  Cksum sum;
  std::uint64_t n_bytes = 0;
  std::array<char, 65536> block;
  while (file.read(block.data(), block.size()) || file.gcount() > 0) {
    const std::size_t n = static_cast<std::size_t>(file.gcount());
    for (std::size_t i = 0; i < n; ++i)
      sum.add(static_cast<unsigned char>(block[i]));
    n_bytes += n;
  }
  report["cksum"] = sum.finish(n_bytes);
}

} // namespace tessera::io
