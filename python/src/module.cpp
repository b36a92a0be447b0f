// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "convert.hpp"
#include "core/config.hpp"
#include "core/kokkos_ext/backends.hpp"
#include "core/kokkos_ext/host/host_threads.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "driver/driver.hpp"
#include "io/input/input_text.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

namespace tessera::python {

namespace {

using namespace std::chrono_literals;

std::timed_mutex library_mutex;
int n_started_threads = 0;           // guarded by the mutex, as the next
const Runtime* runtime = nullptr;    // null: Kokkos was not started
pid_t started_by = 0;                // a process that was forked has none of the threads
std::atomic<bool> has_exited{false}; // set with the interpreter's lock

/// Ends Kokkos at the exit of the interpreter. Calls of threads that Python does not wait for end at their next phase
/// or iteration; if one takes long, Kokkos is left as it is.
void end() {
  if (started_by != 0 && started_by != getpid())
    return;
  has_exited = true;
  const nb::gil_scoped_release unlocked;
  const std::unique_lock<std::timed_mutex> no_call(library_mutex, 10s);
  if (no_call)
    delete std::exchange(runtime, nullptr);
}

/// At the exit of the interpreter a thread that asked for its lock would end in the middle of a call.
void stay_if_ending() {
  while (is_ending())
    std::this_thread::sleep_for(1h);
}

/// The class of Python for a kind of error.
nb::object error_class(ErrorKind kind) {
  const char* name = kind == ErrorKind::numerical  ? "NumericalError"
                     : kind == ErrorKind::resource ? "ResourceError"
                                                   : "InputError";
  return nb::module_::import_("tessera_fem.errors").attr(name);
}

nb::object scalar_to_python(const std::string& text) {
  if (text == "true" || text == "false")
    return nb::bool_(text == "true");
  const bool is_number = text.find_first_of("0123456789") != std::string::npos &&
                         text.find_first_not_of("0123456789+-.eE") == std::string::npos;
  if (is_number)
    for (const char* type : {"int", "float"}) {
      try {
        return nb::module_::import_("builtins").attr(type)(text);
      } catch (nb::python_error&) { // of another type, or a text
      }
    }
  return nb::str(text.c_str(), text.size());
}

} // namespace

nb::object to_python(const io::YamlNode& node) {
  switch (node.kind) {
  case io::YamlNode::Kind::scalar:
    return scalar_to_python(node.text);
  case io::YamlNode::Kind::sequence: {
    nb::list list;
    for (const io::YamlNode& item : node.items)
      list.append(to_python(item));
    return list;
  }
  case io::YamlNode::Kind::map: {
    nb::dict map;
    for (std::size_t i = 0; i < node.items.size(); ++i)
      map[nb::str(node.keys[i].c_str(), node.keys[i].size())] = to_python(node.items[i]);
    return map;
  }
  case io::YamlNode::Kind::null:
    break;
  }
  return nb::none();
}

io::YamlNode to_tree(nb::handle value, const std::string& path, int depth) {
  constexpr int max_depth = 100; // as in YAML
  TESSERA_REQUIRE(depth <= max_depth, io::printable(path) << ": lists and dicts are too deep.");
  io::YamlNode node;
  node.kind = io::YamlNode::Kind::scalar;
  const auto inner = [&](const std::string& key) { return path + (path.empty() || key[0] == '[' ? "" : ".") + key; };
  if (value.is_none()) {
    node.kind = io::YamlNode::Kind::null;
  } else if (nb::isinstance<nb::bool_>(value)) {
    node.text = nb::cast<bool>(value) ? "true" : "false";
  } else if (nb::isinstance<nb::float_>(value)) {
    TESSERA_REQUIRE(std::isfinite(nb::cast<double>(value)), path << ": the number is not finite.");
    node.text = nb::cast<std::string>(nb::repr(nb::float_(nb::cast<double>(value)))); // numpy's has another form
  } else if (nb::isinstance<nb::int_>(value) || nb::isinstance<nb::str>(value)) {
    node.text = nb::cast<std::string>(nb::str(value));
  } else if (nb::isinstance<nb::dict>(value)) {
    node.kind = io::YamlNode::Kind::map;
    for (const auto& [key, item] : nb::borrow<nb::dict>(value)) {
      TESSERA_REQUIRE(nb::isinstance<nb::str>(key), path << ": keys must be texts.");
      node.keys.push_back(nb::cast<std::string>(key));
      node.items.push_back(to_tree(item, inner(node.keys.back()), depth + 1));
    }
  } else if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
    node.kind = io::YamlNode::Kind::sequence;
    for (nb::handle item : value)
      node.items.push_back(to_tree(item, inner("[" + std::to_string(node.items.size() + 1) + "]"), depth + 1));
  } else if (nb::hasattr(value, "tolist")) { // numpy
    const nb::object plain = value.attr("tolist")();
    return to_tree(plain, path, depth + 1);
  } else if (nb::hasattr(value, "__fspath__")) {
    node.text = nb::cast<std::string>(value.attr("__fspath__")());
  } else {
    TESSERA_REQUIRE(false, path << ": a value of the type '"
                                << nb::cast<std::string>(nb::str(value.type().attr("__name__")))
                                << "' is not possible; dict, list, str, bool, int, float, None and numpy arrays are.");
  }
  return node;
}

void start(int n_threads, int device) {
  if (n_started_threads > 0)
    return;
  const int n = n_threads > 0 ? n_threads : host_threads().standard();
  runtime = new Runtime(n, device);
  started_by = getpid();
  n_started_threads = n;
}

int started_threads() { return n_started_threads; }

void call_library(const std::function<void()>& work) {
  require_interpreter();
  const nb::gil_scoped_release unlocked;
  std::exception_ptr thrown;
  {
    std::unique_lock<std::timed_mutex> one_call(library_mutex, std::defer_lock);
    while (!one_call.try_lock_for(50ms)) {
      stay_if_ending();
      const nb::gil_scoped_acquire locked;
      if (PyErr_CheckSignals() != 0)
        throw nb::python_error();
    }
    try {
      require_interpreter();
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  stay_if_ending();
  if (!thrown)
    return;
  try {
    std::rethrow_exception(thrown);
  } catch (const Error&) {
    throw;
  } catch (const nb::python_error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(kind_of(error), message_of(error));
  }
}

bool is_ending() { return has_exited; }

void require_interpreter() { TESSERA_REQUIRE(!is_ending(), "Python exits, and the library has ended."); }

NB_MODULE(_core, module) {
  module.doc() = "The compiled part of tessera_fem; use the package tessera_fem instead.";
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetObject(error_class(error.kind()).ptr(), nb::str(error.what()).ptr());
    }
  });
  module.attr("version") = TESSERA_VERSION_STRING;
  module.def("backends", [] { return backend_names(); });
  module.def(
      "start", [](int threads, int device) { call_library([&] { start(threads, device); }); }, nb::arg("threads"),
      nb::arg("device"));
  module.def("started_threads", &started_threads);
  module.def("info", [] {
    std::ostringstream text;
    call_library([&] {
      start(0, -1);
      driver::print_info(text);
    });
    return text.str();
  });
  bind_runs(module);
  bind_assembly(module);
  bind_dg_assembly(module);
  nb::set_leak_warnings(false); // threads that Python does not wait for keep objects
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end));
}

} // namespace tessera::python
