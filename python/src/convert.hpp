// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PYTHON_CONVERT_HPP
#define TESSERA_PYTHON_CONVERT_HPP

/// \file
/// What all parts of the module share: trees of values, errors, and calls into the library.

#include "core/error.hpp"
#include "io/input/yaml_reader.hpp"

#include <nanobind/nanobind.h>

#include <functional>
#include <string>

namespace tessera::python {

namespace nb = nanobind;

/// A tree as dict, list, str, bool, int, float or None; texts that look like numbers become numbers, as in YAML.
nb::object to_python(const io::YamlNode& node);

/// The reverse, also of numpy's scalars and arrays and of paths. Throws an Error of kind input for other types, for
/// numbers that are not finite, and for lists and dicts that are as deep as only those that contain themselves. `path`
/// names the value in messages.
io::YamlNode to_tree(nb::handle value, const std::string& path, int depth = 0);

/// Starts Kokkos unless it is running. `n_threads` of the host, 0: all processors, or as the environment says;
/// `device`: number of the GPU, -1: the first. Kokkos runs until the interpreter exits, and ends before the runtimes of
/// devices do.
void start(int n_threads, int device);
/// Threads that Kokkos was started with; 0: it is not running.
int started_threads();

/// Runs `work` without the interpreter's lock, one call at a time in the process: Kokkos' kernels of several calls
/// would share the same threads. Exceptions of Kokkos and of the system become an Error. Ctrl-C ends the wait for
/// others. At the exit of the interpreter a call of another thread does not return.
void call_library(const std::function<void()>& work);

/// True from the exit of the interpreter on: Kokkos ends, or has ended.
bool is_ending();
/// Throws an Error if is_ending(): call it before the interpreter's lock is acquired in call_library().
void require_interpreter();

/// Deletes what has memory of Kokkos, unless Kokkos ends: objects of Python may live longer. The system frees the rest.
struct DeleteUnlessEnding {
  template <class T> void operator()(T* object) const {
    if (!is_ending())
      delete object;
  }
};

void bind_runs(nb::module_& module);
void bind_assembly(nb::module_& module);
void bind_dg_assembly(nb::module_& module);

} // namespace tessera::python

#endif
