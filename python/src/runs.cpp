// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "arrays.hpp"
#include "core/transfer/upload.hpp"
#include "driver/driver.hpp"
#include "driver/visit.hpp"
#include "io/hdf5_file.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/resolved.hpp"
#include "io/input/sweep.hpp"
#include "io/mesh_files/cells_file.hpp"
#include "io/output/console.hpp"
#include "io/output/field_file.hpp"
#include "io/output/run_arrays.hpp"
#include "io/pictures/reports/plot.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <memory>
#include <optional>

namespace tessera::python {

namespace {

using nb::literals::operator""_a;

/// An input: the tree of its keys, and the file to whose folder its paths refer.
struct Case {
  io::YamlNode root;
  std::string file;

  io::Case read() const { return io::read_case_tree(root, file); }
};

Case case_of_dict(const nb::dict& keys, const std::string& folder) { return {to_tree(keys, ""), folder + "/dict"}; }

void set(Case& input, const std::string& path, nb::handle value) {
  io::set_value(input.root, path, to_tree(value, path), "Python");
}

nb::object get(const Case& input, const std::string& path) {
  const io::YamlNode* node = io::value_at(input.root, path);
  if (node == nullptr)
    throw nb::key_error(path.c_str());
  return to_python(*node);
}

/// Passes lines and progress to functions of Python. An exception there, also that of Ctrl-C, is kept, since the
/// library would take it for a failure of its own; it ends the run by an Error.
class Receiver final : public io::ConsoleReceiver {
public:
  Receiver(nb::object line, nb::object progress) : line_(std::move(line)), progress_(std::move(progress)) {}

  void line(const std::string& text) override { call(line_, text); }
  void progress(const std::string& text) override { call(progress_, text); }
  void rethrow_if_any() const {
    if (thrown_)
      std::rethrow_exception(thrown_);
  }

private:
  void call(const nb::object& function, const std::string& text) {
    require_interpreter();
    const nb::gil_scoped_acquire locked;
    try {
      if (PyErr_CheckSignals() != 0)
        throw nb::python_error();
      if (!function.is_none())
        function(nb::str(text.c_str(), text.size()));
    } catch (const nb::python_error&) {
      thrown_ = std::current_exception();
      throw Error(ErrorKind::input, "Ended by Python.");
    }
  }

  nb::object line_;
  nb::object progress_;
  std::exception_ptr thrown_;
};

/// A finished run. Arrays of numpy share its memory, and keep it if the run is closed or dropped.
struct Run {
  std::shared_ptr<io::RunArrays> arrays = std::make_shared<io::RunArrays>();
  driver::RunSummary summary;
  io::Case input;
  io::YamlNode report;

  const io::RunArrays& opened() const {
    TESSERA_REQUIRE(arrays != nullptr, "The run was closed: its fields and tables are no longer available.");
    return *arrays;
  }
};

/// The caller owns the result.
Run* run_case(const Case& given, const std::optional<std::string>& backend, nb::handle output, nb::object line,
              nb::object progress) {
  auto run = std::make_unique<Run>();
  Receiver receiver(std::move(line), std::move(progress));
  driver::RunOptions options;
  options.writes = !output.is_none();
  options.arrays = run->arrays.get();
  Case changed = given;
  if (backend)
    set(changed, "execution.backend", nb::str(backend->c_str()));
  if (options.writes)
    set(changed, "output.directory", output);
  try {
    call_library([&] {
      io::Case input = changed.read();
      start(input.execution.threads, -1);
      if (input.execution.threads > 0 && input.execution.threads != started_threads())
        input.notes.push_back("execution.threads: " + std::to_string(input.execution.threads) +
                              " are asked for, but this process started with " + std::to_string(started_threads()) +
                              ", which cannot be changed.");
      io::Console console(receiver);
      options.console = &console;
      run->summary = driver::run(input, options);
      run->report = io::parse_yaml(io::to_yaml(run->summary.report), "report.yaml");
      run->input = std::move(input);
    });
  } catch (const Error&) {
    receiver.rethrow_if_any();
    throw;
  }
  receiver.rethrow_if_any();
  return run.release();
}

/// An array of numpy on memory that `owner` keeps.
template <class T>
nb::object numpy_array(const T* data, const std::vector<std::size_t>& shape,
                       const std::shared_ptr<io::RunArrays>& owner) {
  auto kept = std::make_unique<std::shared_ptr<io::RunArrays>>(owner);
  const nb::capsule capsule(kept.get(),
                            [](void* p) noexcept { delete static_cast<std::shared_ptr<io::RunArrays>*>(p); });
  static_cast<void>(kept.release());
  return nb::cast(nb::ndarray<nb::numpy, T>(const_cast<T*>(data), shape.size(), shape.data(), capsule));
}

/// An array of the fields by its name in io::RunArrays.
const io::FieldArray& field_of(const Run& run, const std::string& name) {
  const io::RunArrays& arrays = run.opened();
  const auto found = arrays.fields.find(name);
  if (found == arrays.fields.end())
    throw nb::key_error(name.c_str());
  return found->second;
}

/// Its shape for the caller; of time-dependent problems with the steps as first index.
std::vector<std::size_t> shape_of(const Run& run, const std::string& name) {
  const io::RunArrays& arrays = run.opened();
  const io::FieldArray& array = field_of(run, name);
  std::vector<std::size_t> shape = array.extents;
  if (name == "Connectivity")
    shape = {array.extents[0] / arrays.nodes_per_cell, arrays.nodes_per_cell};
  if (name.rfind("PointData/", 0) == 0 && !arrays.times.empty()) {
    const std::size_t n_points = arrays.fields.at("Points").extents[0];
    shape[0] = n_points;
    shape.insert(shape.begin(), std::min(arrays.times.size(), array.extents[0] / n_points));
  }
  return shape;
}

nb::object field_array(const Run& run, const std::string& name) {
  const std::vector<std::size_t> shape = shape_of(run, name);
  return std::visit([&](const auto& values) { return numpy_array(values.data(), shape, run.arrays); },
                    field_of(run, name).values);
}

/// A copy of a field in the memory of the backend's device; on hosts the field itself.
nb::object device_array(const Run& run, const std::string& name) {
  nb::object result = field_array(run, name);
  const std::vector<std::size_t> shape = shape_of(run, name);
  const std::shared_ptr<io::RunArrays> kept = run.arrays; // the run may be closed meanwhile
  const io::FieldArray& array = kept->fields.at(name);
  call_library([&] {
    driver::visit_backend(run.report.find("backend")->text, [&](const auto& exec) {
      using ExecutionSpace = std::decay_t<decltype(exec)>;
      if constexpr (!runs_on_host<ExecutionSpace>)
        std::visit(
            [&](const auto& values) {
              const auto copied = uploaded(exec, "python::field", values);
              require_interpreter();
              const nb::gil_scoped_acquire lock;
              result = shared_array(copied, shape);
            },
            array.values);
    });
  });
  return result;
}

/// Writes report, input and fields of a run into a folder, so that pictures can be made of them.
void write_run(const Run& run, const std::string& folder) {
  const io::RunArrays& arrays = run.opened();
  const std::string run_id = run.report.find("run_id")->text;
  io::write_yaml(folder + "/report.yaml", run.summary.report);
  io::write_yaml(folder + "/resolved.yaml", io::resolved_tree(run.input, folder).comment("The input of run " + run_id));
  if (arrays.fields.empty())
    return;
  const std::string path = folder + "/fields.vtkhdf";
  io::Hdf5File file = io::Hdf5File::create(path);
  const std::size_t n_points = arrays.fields.at("Points").extents[0];
  const std::size_t n_nodes = arrays.nodes_per_cell;
  const std::size_t n_cells = arrays.fields.at("Connectivity").extents[0] / n_nodes;
  const bool is_plane = n_nodes == 3 || n_nodes == 6;
  const io::VtkGrid grid = io::make_vtk_grid(is_plane ? 2 : 3, n_nodes > 4 ? 2 : 1, n_points, n_cells);
  io::write_vtkhdf_frame(file, {grid}, !arrays.times.empty());
  std::vector<std::string> of_points;
  std::vector<std::string> of_cells;
  for (const auto& entry : arrays.fields) {
    const std::string& name = entry.first;
    const io::FieldArray& array = entry.second;
    const std::string dataset = "/VTKHDF/" + name;
    std::visit([&](const auto& values) { file.write(dataset, array.extents, values.data()); }, array.values);
    if (!array.unit.empty())
      file.write_attribute(dataset, "Unit", array.unit);
    const std::size_t slash = name.find('/');
    if (slash != std::string::npos)
      (name[0] == 'P' ? of_points : of_cells).push_back(name.substr(slash + 1));
  }
  if (!arrays.times.empty())
    io::write_vtkhdf_steps(file, 1, n_points, arrays.times, of_points, of_cells);
  file.write_attribute("/VTKHDF", io::run_id_attribute, run_id);
  file.close();
}

/// Draws a field of what write_run() or a run has written; as `tessera plot`.
void plot(const std::string& folder, const std::string& show, const std::string& path, const std::string& component,
          const std::string& scale, const std::string& range, const std::string& window, const std::string& section,
          bool with_mesh, int pixels) {
  io::pictures::PlotRequest request;
  request.directory = folder;
  request.show = show;
  request.path = path;
  request.component = component;
  request.scale = scale;
  request.range = range;
  request.window = window;
  request.section = section;
  request.with_mesh = with_mesh;
  request.pixels = pixels;
  call_library([&] { io::pictures::make_plot(request); });
}

/// Columns of a table: name, unit, and values (texts if it has these).
nb::list table(const Run& run, const std::string& name) {
  const io::RunArrays& arrays = run.opened();
  const auto found = arrays.tables.find(name);
  if (found == arrays.tables.end())
    throw nb::key_error(name.c_str());
  nb::list columns;
  for (const io::TableColumn& column : found->second) {
    const nb::object values = column.texts.empty()
                                  ? numpy_array(column.values.data(), {column.values.size()}, run.arrays)
                                  : nb::cast(column.texts);
    columns.append(nb::make_tuple(column.name, column.unit, values));
  }
  return columns;
}

template <class T> using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Names = std::vector<std::pair<std::int64_t, std::string>>;

/// Writes a mesh of given arrays, whose extents belong together.
void write_cells(const std::string& path,
                 const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& points,
                 const Column<std::uint8_t>& types, const Column<std::int64_t>& offsets,
                 const Column<std::int64_t>& connectivity, const Column<double>& numbers, const Names& regions,
                 const Names& boundaries) {
  const io::GivenCells cells{points.shape(0),         points.data(),      vector_of(types), vector_of(offsets),
                             vector_of(connectivity), vector_of(numbers), regions,          boundaries};
  call_library([&] { io::write_cells_file(path, cells); });
}

template <class Map> std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& entry : map)
    keys.push_back(entry.first);
  return keys;
}

} // namespace

void bind_runs(nb::module_& module) {
  nb::class_<Case>(module, "Case")
      .def(nb::init<const Case&>())
      .def("set", &set, "path"_a, "value"_a.none())
      .def("get", &get, "path"_a)
      .def("remove", [](Case& input, const std::string& path) { io::set_value(input.root, path, {}, "Python"); })
      .def("to_dict", [](const Case& input) { return to_python(input.root); })
      .def("resolved",
           [](const Case& input) {
             const io::Case read = input.read();
             return to_python(io::parse_yaml(io::to_yaml(io::resolved_tree(read, read.output.directory)), ""));
           })
      .def("resolved_text", [](const Case& input) { return io::resolved_text(input.read()); })
      .def("check", [](const Case& input) { static_cast<void>(input.read()); })
      .def_ro("file", &Case::file);
  module.def("read_case", [](const std::string& file) { return Case{io::read_yaml(file), file}; });
  module.def("case_of_dict", &case_of_dict);
  module.def("run", &run_case, nb::rv_policy::take_ownership, "case"_a, "backend"_a.none(), "output"_a.none(),
             "line"_a.none(), "progress"_a.none());
  module.def("write_cells", &write_cells);
  nb::class_<Run>(module, "Run")
      .def_prop_ro("exit_code", [](const Run& run) { return run.summary.exit_code; })
      .def_prop_ro("message", [](const Run& run) { return run.summary.message; })
      .def_prop_ro("directory", [](const Run& run) { return run.summary.directory; })
      .def_prop_ro("iterations", [](const Run& run) { return run.summary.iterations; })
      .def_prop_ro("residual", [](const Run& run) { return run.summary.residual; })
      .def("report", [](const Run& run) { return to_python(run.report); })
      .def("array_names", [](const Run& run) { return keys_of(run.opened().fields); })
      .def("array", &field_array, "name"_a)
      .def("device_array", &device_array, "name"_a)
      .def("unit", [](const Run& run, const std::string& name) { return run.opened().fields.at(name).unit; })
      .def("value_names", [](const Run& run, const std::string& name) { return run.opened().fields.at(name).names; })
      .def_prop_ro("times", [](const Run& run) { return run.opened().times; })
      .def("table_names", [](const Run& run) { return keys_of(run.opened().tables); })
      .def("table", &table, "name"_a)
      .def("write", &write_run, "folder"_a)
      .def("close", [](Run& run) { run.arrays.reset(); });
  module.def("plot", &plot, "folder"_a, "show"_a, "path"_a, "component"_a, "scale"_a, "range"_a, "window"_a,
             "section"_a, "with_mesh"_a, "pixels"_a);
}

} // namespace tessera::python
