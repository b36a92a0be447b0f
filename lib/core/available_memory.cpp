// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/available_memory.hpp"

#include <algorithm>
#include <fstream>

#if defined(__unix__)
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace tessera {

namespace {

using Bytes = std::optional<double>;

Bytes least(const Bytes& a, const Bytes& b) {
  if (!a || !b)
    return a ? a : b;
  return std::min(*a, *b);
}

/// Reads a file that holds one number; returns nothing for "max" or if the file does not exist.
Bytes read_number(const std::string& path) {
  std::ifstream file(path);
  double number = 0.;
  return file >> number ? Bytes(number) : Bytes();
}

/// Sum of the entries `first` and `second` in a file of lines "name number".
double read_entries(const std::string& path, const std::string& first, const std::string& second) {
  std::ifstream file(path);
  std::string name;
  double number = 0.;
  double sum = 0.;
  while (file >> name >> number)
    if (name == first || name == second)
      sum += number;
  return sum;
}

/// The line "MemAvailable: <n> kB".
Bytes available_in_system(const std::string& meminfo) {
  std::ifstream file(meminfo);
  std::string key;
  double kibibytes = 0.;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:")
      return 1024. * kibibytes;
    std::getline(file, key);
  }
  return {};
}

/// Names of the files of one version of control groups.
struct GroupFiles {
  const char* limit;
  const char* use;
  const char* inactive_pages;
  const char* active_pages;
};
constexpr GroupFiles version_1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
                                  "total_active_file"};
constexpr GroupFiles version_2 = {"memory.max", "memory.current", "inactive_file", "active_file"};

Bytes left_in_group(const std::string& folder, const GroupFiles& files) {
  const Bytes limit = read_number(folder + "/" + files.limit);
  const Bytes use = read_number(folder + "/" + files.use);
  if (!limit || !use)
    return {};
  const double pages = read_entries(folder + "/memory.stat", files.inactive_pages, files.active_pages);
  return std::max(0., *limit - std::max(0., *use - pages));
}

/// Bytes left in all groups from `path` up to the root of the hierarchy. In a container the path may be the host's
/// while only the root is mounted, so missing folders are skipped.
Bytes left_in_hierarchy(const std::string& root, std::string path, const GroupFiles& files) {
  Bytes bytes;
  while (!path.empty() && path != "/") {
    bytes = least(bytes, left_in_group(root + path, files));
    path.erase(path.find_last_of('/'));
  }
  return least(bytes, left_in_group(root, files));
}

Bytes left_in_groups(const MemorySources& sources) {
  Bytes bytes;
  std::ifstream file(sources.own_groups);
  std::string line; // "<number>:<controllers>:<path>", version 2: "0::<path>"
  while (std::getline(file, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos || line.compare(second + 1, 1, "/") != 0)
      continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,")
      bytes = least(bytes, left_in_hierarchy(sources.groups, path, version_2));
    else if (controllers.find(",memory,") != std::string::npos)
      bytes = least(bytes, left_in_hierarchy(sources.groups + "/memory", path, version_1));
  }
  return bytes;
}

Bytes left_in_address_space(const MemorySources& sources) {
  Bytes limit = sources.address_space;
#if defined(__unix__)
  rlimit system{};
  if (!limit && getrlimit(RLIMIT_AS, &system) == 0 && system.rlim_cur != RLIM_INFINITY)
    limit = static_cast<double>(system.rlim_cur);
  const Bytes pages = read_number(sources.own_pages); // the first entry is the total mapped size
  if (limit && pages)
    return std::max(0., *limit - *pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
#endif
  return limit;
}

} // namespace

double available_host_memory(const MemorySources& sources) {
  const Bytes bytes =
      least(available_in_system(sources.meminfo), least(left_in_groups(sources), left_in_address_space(sources)));
  return bytes.value_or(-1.);
}

} // namespace tessera
