// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/hdf5_file.hpp"

#include "core/error.hpp"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace tessera::io {

namespace {

/// Closes an HDF5 identifier.
class Handle {
public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0)
      close_(id_);
  }
  operator hid_t() const { return id_; }

private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// The predefined types are variables that exist once HDF5 is initialised.
template <class T> hid_t native_type();
template <> hid_t native_type<double>() { return H5T_NATIVE_DOUBLE; }
template <> hid_t native_type<float>() { return H5T_NATIVE_FLOAT; }
template <> hid_t native_type<std::int32_t>() { return H5T_NATIVE_INT32; }
template <> hid_t native_type<std::int64_t>() { return H5T_NATIVE_INT64; }
template <> hid_t native_type<std::uint16_t>() { return H5T_NATIVE_UINT16; }
template <> hid_t native_type<std::uint8_t>() { return H5T_NATIVE_UINT8; }

/// Stores the first, innermost entry of HDF5's error stack.
herr_t keep_innermost(unsigned n, const H5E_error2_t* entry, void* text) {
  if (n == 0 && entry->desc)
    *static_cast<std::string*>(text) = entry->desc;
  return 0;
}

/// Extracts the system's message after a failed system call: HDF5 surrounds it with addresses and counts of bytes.
std::string innermost_reason() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &reason);
  const std::string before = "error message = '";
  const std::size_t begin = reason.find(before);
  const std::size_t end = begin == std::string::npos ? begin : reason.find('\'', begin + before.size());
  if (end != std::string::npos)
    reason = reason.substr(begin + before.size(), end - begin - before.size());
  return reason.empty() ? "no reason given" : reason;
}

/// Starts HDF5 without its exit handler: files are closed by their objects, and for a file that could not be written
/// completely the handler would try again and crash.
void start_hdf5() {
  [[maybe_unused]] static const herr_t once = H5dont_atexit();
  H5open();
}

/// Keeps HDF5 from printing its error stack; the destructor restores the setting for other users in the process.
class QuietErrors {
public:
  QuietErrors() {
    start_hdf5();
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
  ~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

std::size_t product(const std::vector<std::size_t>& extents, std::size_t first) {
  std::size_t n = 1;
  for (std::size_t i = first; i < extents.size(); ++i)
    n *= extents[i];
  return n;
}

std::vector<hsize_t> to_hsize(const std::vector<std::size_t>& extents) { return {extents.begin(), extents.end()}; }

std::string extents_text(const std::vector<std::size_t>& extents) {
  std::string text;
  for (const std::size_t extent : extents)
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "1" : text;
}

/// Extents without trailing ones: [n] and [n, 1] are equivalent.
std::vector<std::size_t> without_last_ones(std::vector<std::size_t> extents) {
  while (!extents.empty() && extents.back() == 1)
    extents.pop_back();
  return extents;
}

const char* class_name(H5T_class_t type) {
  switch (type) {
  case H5T_INTEGER:
    return "whole numbers";
  case H5T_FLOAT:
    return "floating-point numbers";
  case H5T_STRING:
    return "texts";
  default:
    return "values of another type";
  }
}

/// By default HDF5 replaces numbers outside the range of the memory type by its limits.
H5T_conv_ret_t refuse_range(H5T_conv_except_t what, hid_t, hid_t, void*, void*, void*) {
  return what == H5T_CONV_EXCEPT_RANGE_HI || what == H5T_CONV_EXCEPT_RANGE_LOW ? H5T_CONV_ABORT : H5T_CONV_UNHANDLED;
}

/// Memory type of texts stored as `stored`, of a fixed length with a terminating zero or of variable length. HDF5 does
/// not convert between character sets.
hid_t text_type(hid_t stored) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5Tis_variable_str(stored) > 0 ? H5T_VARIABLE : H5Tget_size(stored) + 1);
  H5Tset_cset(type, H5Tget_cset(stored));
  return type;
}

} // namespace

Hdf5File::Hdf5File(std::string path, std::int64_t file, bool writing)
    : path_(std::move(path)), file_(file), writing_(writing) {}

Hdf5File::Hdf5File(Hdf5File&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), writing_(other.writing_) {}

Hdf5File::~Hdf5File() {
  const QuietErrors quiet;
  if (file_ >= 0)
    H5Fclose(file_);
}

void Hdf5File::fail(const std::string& doing) const {
  TESSERA_REQUIRE_KIND(false, writing_ ? ErrorKind::resource : ErrorKind::input,
                       "Cannot " << doing << " " << path_ << " (HDF5: " << innermost_reason() << ").");
}

std::int64_t Hdf5File::check(std::int64_t result, const std::string& doing) const {
  if (result < 0)
    fail(doing);
  return result;
}

Hdf5File Hdf5File::create(const std::string& path, const std::string& name) {
  const QuietErrors quiet;
  Hdf5File file(name.empty() ? path : name, -1, true);
  file.file_ = file.check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "write");
  return file;
}

Hdf5File Hdf5File::open(const std::string& path) {
  const QuietErrors quiet;
  Hdf5File file(path, -1, false);
  file.file_ = file.check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "read");
  return file;
}

void Hdf5File::close() {
  const QuietErrors quiet;
  const std::int64_t file = std::exchange(file_, -1);
  if (writing_)
    check(H5Fflush(file, H5F_SCOPE_LOCAL), "write");
  check(H5Fclose(file), writing_ ? "write" : "close");
}

void Hdf5File::make_group(const std::string& group) {
  const QuietErrors quiet;
  const Handle made(H5Gcreate2(file_, group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  check(made, "write " + group + " of");
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name,
                               const std::vector<std::int64_t>& values) {
  const QuietErrors quiet;
  const hsize_t n = values.size();
  const Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose);
  const Handle attribute(H5Acreate_by_name(file_, object.c_str(), name.c_str(), H5T_STD_I64LE, space, H5P_DEFAULT,
                                           H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  check(attribute, "write " + object + "/" + name + " of");
  check(H5Awrite(attribute, H5T_NATIVE_INT64, values.data()), "write " + object + "/" + name + " of");
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, const std::string& text) {
  const QuietErrors quiet;
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(text.size(), 1));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(
      H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  check(attribute, "write " + object + "/" + name + " of");
  check(H5Awrite(attribute, type, text.c_str()), "write " + object + "/" + name + " of");
}

void Hdf5File::write_strings(const std::string& dataset, const std::vector<std::string>& texts) {
  const QuietErrors quiet;
  std::size_t width = 1;
  for (const std::string& text : texts)
    width = std::max(width, text.size());
  std::vector<char> characters(texts.size() * width, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::copy(texts[i].begin(), texts[i].end(), &characters[i * width]);
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, width);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const hsize_t n = texts.size();
  const Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose);
  const Handle set(H5Dcreate2(file_, dataset.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  check(set, "write " + dataset + " of");
  if (n > 0)
    check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, characters.data()), "write " + dataset + " of");
}

template <class T>
void Hdf5File::write(const std::string& dataset, const std::vector<std::size_t>& extents, const T* data) {
  const QuietErrors quiet;
  const std::vector<hsize_t> shape = to_hsize(extents);
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  const Handle set(H5Dcreate2(file_, dataset.c_str(), native_type<T>(), space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose);
  check(set, "write " + dataset + " of");
  if (product(extents, 0) > 0)
    check(H5Dwrite(set, native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "write " + dataset + " of");
}

std::size_t Hdf5File::rows_of_block(std::size_t row_bytes) {
  constexpr std::size_t block_bytes = std::size_t(8)
                                      << 20; // large against the cost of a system call, small against the caches
  return std::max<std::size_t>(1, block_bytes / std::max<std::size_t>(row_bytes, 1));
}

template <class T>
void Hdf5File::write_blocks(const std::string& dataset, const std::vector<std::size_t>& extents, const Fill<T>& fill) {
  write_rows(dataset, extents, 0, extents[0], fill);
}

template <class T>
void Hdf5File::write_rows(const std::string& dataset, const std::vector<std::size_t>& extents, std::size_t first_row,
                          std::size_t n_all, const Fill<T>& fill) {
  const bool is_new = !exists(dataset);
  const QuietErrors quiet;
  const std::string doing = "write " + dataset + " of";
  const std::vector<hsize_t> shape = to_hsize(extents);
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  const Handle set(
      is_new ? H5Dcreate2(file_, dataset.c_str(), native_type<T>(), space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
             : H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT),
      H5Dclose);
  check(set, doing);
  const std::size_t width = product(extents, 1);
  const std::size_t block_rows = rows_of_block(sizeof(T) * width);
  std::vector<T> buffer(std::min(block_rows, n_all) * width);
  std::vector<hsize_t> start(shape.size(), 0), count = shape;
  for (std::size_t first = 0; first < n_all && width > 0; first += block_rows) {
    const std::size_t n_rows = std::min(block_rows, n_all - first);
    fill(first, n_rows, buffer.data());
    start[0] = first_row + first;
    count[0] = n_rows;
    const Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), doing);
    check(H5Dwrite(set, native_type<T>(), memory, space, H5P_DEFAULT, buffer.data()), doing);
  }
}

bool Hdf5File::exists(const std::string& object) const {
  const QuietErrors quiet;
  // Every parent group must exist before its child can be queried.
  for (std::size_t slash = object.find('/', 1); slash != std::string::npos; slash = object.find('/', slash + 1))
    if (H5Lexists(file_, object.substr(0, slash).c_str(), H5P_DEFAULT) <= 0)
      return false;
  return H5Lexists(file_, object.c_str(), H5P_DEFAULT) > 0;
}

bool Hdf5File::has_attribute(const std::string& object, const std::string& name) const {
  const QuietErrors quiet;
  return exists(object) && H5Aexists_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

void Hdf5File::refuse(const std::string& what) const { TESSERA_REQUIRE(false, path_ << " is not valid: " << what); }

std::vector<std::int64_t> Hdf5File::read_integers(const std::string& object, const std::string& name,
                                                  std::size_t n) const {
  const QuietErrors quiet;
  const std::string doing = "read attribute " + name + " of " + object + " in";
  const Handle attribute(H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(attribute, doing);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  const std::int64_t n_stored = check(H5Sget_simple_extent_npoints(space), doing);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const H5T_class_t type_class = H5Tget_class(check(type, doing));
  if (type_class != H5T_INTEGER || n_stored != static_cast<std::int64_t>(n))
    refuse("attribute " + name + " of " + object + " holds " + std::to_string(n_stored) + " " + class_name(type_class) +
           "; expected are " + std::to_string(n) + " whole numbers.");
  std::vector<std::int64_t> values(n);
  check(H5Aread(attribute, H5T_NATIVE_INT64, values.data()), doing);
  return values;
}

std::string Hdf5File::read_text(const std::string& object, const std::string& name) const {
  constexpr std::size_t longest = 4096; // names of VTK's data sets have a few letters
  const QuietErrors quiet;
  const std::string doing = "read attribute " + name + " of " + object + " in";
  const Handle attribute(H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(attribute, doing);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  const std::int64_t n_stored = check(H5Sget_simple_extent_npoints(space), doing);
  const Handle stored(H5Aget_type(attribute), H5Tclose);
  const H5T_class_t type_class = H5Tget_class(check(stored, doing));
  if (type_class != H5T_STRING || n_stored != 1)
    refuse("attribute " + name + " of " + object + " holds " + std::to_string(n_stored) + " " + class_name(type_class) +
           "; expected is one text.");
  const Handle type(text_type(stored), H5Tclose);
  if (H5Tis_variable_str(stored) > 0) {
    char* text = nullptr;
    check(H5Aread(attribute, type, &text), doing);
    const std::string copy = text ? text : "";
    H5free_memory(text);
    return copy;
  }
  const std::size_t size = H5Tget_size(type);
  if (size > longest)
    refuse("attribute " + name + " of " + object + " is a text of more than " + std::to_string(longest) + " bytes.");
  std::vector<char> text(size, '\0');
  check(H5Aread(attribute, type, text.data()), doing);
  return text.data();
}

std::vector<std::size_t> Hdf5File::extents(const std::string& dataset) const {
  const QuietErrors quiet;
  const std::string doing = "read " + dataset + " of";
  const Handle set(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  check(set, doing);
  const Handle space(H5Dget_space(set), H5Sclose);
  if (H5Sget_simple_extent_type(space) == H5S_NULL)
    return {0};
  std::vector<hsize_t> shape(static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space), doing)));
  check(H5Sget_simple_extent_dims(space, shape.data(), nullptr), doing);
  return {shape.begin(), shape.end()};
}

std::size_t Hdf5File::stored_entries(std::int64_t set, const std::string& dataset, std::size_t entry_bytes) const {
  // No HDF5 filter compresses more than this; deflate reaches 1 : 1032.
  constexpr hsize_t largest_compression = 2048;
  const std::vector<std::size_t> shape = extents(dataset);
  const Handle layout(H5Dget_create_plist(set), H5Pclose);
  check(layout, "read " + dataset + " of");
  if (H5Pget_layout(layout) == H5D_VIRTUAL || H5Pget_external_count(layout) > 0)
    refuse(dataset + " lies in other files, which is not supported.");
  hsize_t file_bytes = 0;
  check(H5Fget_filesize(file_, &file_bytes), "read");
  hsize_t limit = std::min<hsize_t>(H5Dget_storage_size(set), file_bytes);
  if (H5Pget_nfilters(layout) > 0)
    limit *= largest_compression;
  if (std::find(shape.begin(), shape.end(), std::size_t(0)) != shape.end())
    return 0;
  if (entry_bytes == 0)
    refuse("the entries of " + dataset + " have no bytes.");
  hsize_t room = limit / entry_bytes;
  std::size_t n = 1;
  for (const std::size_t extent : shape) {
    if (extent > room)
      refuse(dataset + " announces " + extents_text(shape) + " entries, but the file holds fewer.");
    room /= extent;
    n *= extent;
  }
  return n;
}

template <class T> std::vector<T> Hdf5File::read(const std::string& dataset) const {
  const QuietErrors quiet;
  const std::string doing = "read " + dataset + " of";
  const Handle set(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  check(set, doing);
  const Handle stored(H5Dget_type(set), H5Tclose);
  const H5T_class_t type_class = H5Tget_class(check(stored, doing));
  if (type_class != H5T_INTEGER && (std::is_integral_v<T> || type_class != H5T_FLOAT))
    refuse(dataset + " holds " + class_name(type_class) + "; expected are " +
           class_name(std::is_integral_v<T> ? H5T_INTEGER : H5T_FLOAT) + ".");
  std::vector<T> data(stored_entries(set, dataset, H5Tget_size(stored)));
  const Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  check(H5Pset_type_conv_cb(transfer, refuse_range, nullptr), doing);
  if (!data.empty())
    check(H5Dread(set, native_type<T>(), H5S_ALL, H5S_ALL, transfer, data.data()), doing);
  return data;
}

template <class T>
std::vector<T> Hdf5File::read(const std::string& dataset, const std::vector<std::size_t>& expected) const {
  const std::vector<std::size_t> shape = extents(dataset);
  if (without_last_ones(shape) != without_last_ones(expected))
    refuse(dataset + " has " + extents_text(shape) + " entries instead of " + extents_text(expected) + ".");
  return read<T>(dataset);
}

template <class T>
std::vector<T> Hdf5File::read_rows(const std::string& dataset, std::size_t first, std::size_t n) const {
  const std::vector<std::size_t> shape = extents(dataset);
  if (shape.empty() || shape.size() > 2 || first > shape[0] || n > shape[0] - first)
    refuse(dataset + " has " + extents_text(shape) + " entries; expected are rows " + std::to_string(first) + " to " +
           std::to_string(first + n) + ".");
  if (n == shape[0])
    return read<T>(dataset);
  const QuietErrors quiet;
  const std::string doing = "read " + dataset + " of";
  const Handle set(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  check(set, doing);
  const Handle stored(H5Dget_type(set), H5Tclose);
  if (const H5T_class_t type_class = H5Tget_class(check(stored, doing));
      type_class != H5T_INTEGER && (std::is_integral_v<T> || type_class != H5T_FLOAT))
    refuse(dataset + " holds " + class_name(type_class) + ".");
  stored_entries(set, dataset, H5Tget_size(stored));
  const std::size_t width = shape.size() == 2 ? shape[1] : 1;
  const std::array<hsize_t, 2> start{first, 0}, count{n, width};
  const Handle from(H5Dget_space(set), H5Sclose);
  check(H5Sselect_hyperslab(from, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), doing);
  const Handle to(H5Screate_simple(static_cast<int>(shape.size()), count.data(), nullptr), H5Sclose);
  const Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  check(H5Pset_type_conv_cb(transfer, refuse_range, nullptr), doing);
  std::vector<T> data(n * width);
  if (!data.empty())
    check(H5Dread(set, native_type<T>(), to, from, transfer, data.data()), doing);
  return data;
}

std::vector<std::string> Hdf5File::members(const std::string& group) const {
  const QuietErrors quiet;
  const std::string doing = "read the names in " + group + " of";
  const Handle opened(H5Gopen2(file_, group.c_str(), H5P_DEFAULT), H5Gclose);
  check(opened, doing);
  H5G_info_t info;
  check(H5Gget_info(opened, &info), doing);
  constexpr hsize_t most = 10000;
  if (info.nlinks > most)
    refuse(group + " has more than " + std::to_string(most) + " objects.");
  std::vector<std::string> names;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const auto copy_name = [&](char* name, std::size_t room) {
      return static_cast<std::size_t>(
          check(H5Lget_name_by_idx(opened, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, room, H5P_DEFAULT), doing));
    };
    std::vector<char> name(copy_name(nullptr, 0) + 1);
    copy_name(name.data(), name.size());
    names.emplace_back(name.data());
  }
  return names;
}

std::vector<std::string> Hdf5File::read_strings(const std::string& dataset) const {
  const QuietErrors quiet;
  const std::string doing = "read " + dataset + " of";
  const Handle set(H5Dopen2(file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  check(set, doing);
  const Handle stored(H5Dget_type(set), H5Tclose);
  const H5T_class_t type_class = H5Tget_class(check(stored, doing));
  if (type_class != H5T_STRING)
    refuse(dataset + " holds " + class_name(type_class) + "; expected are texts.");
  std::vector<std::string> texts(stored_entries(set, dataset, H5Tget_size(stored)));
  if (texts.empty())
    return texts;
  const Handle type(text_type(stored), H5Tclose);
  if (H5Tis_variable_str(stored) > 0) {
    std::vector<char*> pointers(texts.size(), nullptr);
    check(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), doing);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      texts[i] = pointers[i] ? pointers[i] : "";
      H5free_memory(pointers[i]);
    }
  } else {
    const std::size_t width = H5Tget_size(type);
    std::vector<char> characters(texts.size() * width);
    check(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, characters.data()), doing);
    for (std::size_t i = 0; i < texts.size(); ++i)
      texts[i] = &characters[i * width]; // zero-terminated
  }
  return texts;
}

#define TESSERA_INSTANTIATE(T)                                                                                         \
  template void Hdf5File::write<T>(const std::string&, const std::vector<std::size_t>&, const T*);                     \
  template void Hdf5File::write_blocks<T>(const std::string&, const std::vector<std::size_t>&, const Fill<T>&);        \
  template void Hdf5File::write_rows<T>(const std::string&, const std::vector<std::size_t>&, std::size_t, std::size_t, \
                                        const Fill<T>&);                                                               \
  template std::vector<T> Hdf5File::read<T>(const std::string&) const;                                                 \
  template std::vector<T> Hdf5File::read<T>(const std::string&, const std::vector<std::size_t>&) const;                \
  template std::vector<T> Hdf5File::read_rows<T>(const std::string&, std::size_t, std::size_t) const;
TESSERA_INSTANTIATE(double)
TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(std::int32_t)
TESSERA_INSTANTIATE(std::int64_t)
TESSERA_INSTANTIATE(std::uint16_t)
TESSERA_INSTANTIATE(std::uint8_t)
#undef TESSERA_INSTANTIATE

} // namespace tessera::io
