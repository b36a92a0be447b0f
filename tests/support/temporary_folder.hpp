// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_TEMPORARY_FOLDER_HPP
#define TESSERA_TESTS_SUPPORT_TEMPORARY_FOLDER_HPP

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace tessera::test {

/// A temporary folder that is removed with the object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tessera-test-XXXXXX").string();
    if (mkdtemp(&name[0]) == nullptr)
      throw std::runtime_error("cannot make a temporary folder");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  /// Path of a file in the folder.
  std::string file(const std::string& name) const { return (path_ / name).string(); }

  /// Writes a file into the folder; returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }

  std::size_t n_files() const {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_))
      ++n;
    return n;
  }

private:
  std::filesystem::path path_;
};

/// Path of a file in tests/support/data.
inline std::string data_file(const std::string& name) { return TESSERA_SOURCE_DIR "/tests/support/data/" + name; }

} // namespace tessera::test

#endif
