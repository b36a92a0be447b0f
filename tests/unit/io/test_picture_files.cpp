// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/output/convergence_file.hpp"
#include "io/output/field_file.hpp"
#include "io/pictures/chart.hpp"
#include "io/pictures/reports/html_report.hpp"
#include "io/pictures/reports/plot.hpp"
#include "io/pictures/result_file.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <fstream>
#include <sstream>

namespace {

using namespace tessera;
using namespace tessera::io::pictures;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using tessera::io::FieldFile;
using tessera::io::FieldGrid;
using tessera::test::TemporaryFolder;

/// Two adjacent triangles, of regions 0 and 1, with a field that jumps between them.
struct TwoTriangles {
  std::vector<double> coordinates{0., 0., 1., 0., 1., 1., 2., 0.};
  std::vector<index_t> elements{0, 1, 2, 1, 3, 2};
  FieldGrid grid;
  TwoTriangles() {
    grid.n_vertices = grid.n_nodes = 4;
    grid.n_elements = 2;
    grid.coordinates = coordinates.data();
    grid.element_nodes = elements.data();
  }
  void write(const std::string& path, const std::string& run_id) const {
    FieldFile file(path, grid);
    const std::vector<double> potential{0., 1., 2., 3.}, field{3., 4., 0., 5.},
        mean{0., 0., 1.5, 4.5, 1.5, 4.5, 0., 0.};
    const std::vector<group_t> regions{0, 1};
    file.write_run_id(run_id);
    file.write_point_data("potential", potential.data());
    file.write_point_data("electric_field", mean.data(), 2, "V/m");
    file.write_cell_data("electric_field", field.data(), 2, "V/m");
    file.write_cell_data("material", regions.data(), {"air", "oil"});
    file.close();
  }
};

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Writes a minimal output directory of a run.
void write_run(const TemporaryFolder& folder) {
  TwoTriangles().write(folder.file("fields.vtkhdf"), "7");
  write(folder.file("resolved.yaml"), "# The whole input, with its defaults, of run 7\n"
                                      "problem: {physics: electrostatics, symmetry: planar}\n");
  write(folder.file("report.yaml"), "title: \"Plates <1> & 2\"\n"
                                    "run_id: \"7\"\n"
                                    "versions: {tessera: \"0.1\"}\n"
                                    "mesh: {dimension: 2, elements: 2, regions: [air, oil]}\n"
                                    "phases:\n  - {name: mesh, seconds: 0.5, where: host, peak_bytes: 1024}\n"
                                    "total_seconds: 0.5\n"
                                    "solver: {method: pcg, preconditioner: jacobi, status: converged, converged: true, "
                                    "iterations: 2, history: convergence.csv}\n"
                                    "quantities:\n  capacitance: {value: 2.5e-11, unit: F}\n"
                                    "errors: {capacitance: 0.0125}\n"
                                    "adaptation:\n  - {elements: 2, unknowns: 1, estimated_error: 0.25, iterations: 3,"
                                    " setup: {colored: {symbolic: 0.5, numeric: 0.25, peak_bytes: 8}}}\n"
                                    "notes: [\"A note.\"]\n");
  tessera::io::write_convergence(folder.file("convergence.csv"),
                                 {{"solution", 1, 1, {1., 0.1}}, {"solution", 2, 1, {1., 0.05, 5e-10}}});
}

} // namespace

TEST_CASE("fields are read at the corners of simplices", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("fields.vtkhdf");
  SECTION("vectors apart in each region") {
    TwoTriangles().write(path, "7");
    const ResultFile file(path);
    CHECK(file.run_id() == "7");
    CHECK_FALSE(file.time());
    CHECK(file.grid().regions == std::vector<std::uint16_t>{0, 1});
    REQUIRE(file.find("potential") != nullptr);
    CHECK(file.values(*file.find("potential")) == std::vector<double>{0., 1., 2., 1., 3., 2.});
    const StoredField* field = file.find("electric_field");
    REQUIRE(field != nullptr);
    CHECK(field->at_points);
    CHECK(field->of_cells);
    CHECK(field->unit == "V/m");
    CHECK(file.find("potential")->unit.empty());
    CHECK(file.values(*field) == std::vector<double>{5., 5., 5., 5., 5., 5.});
    CHECK(file.values(*field, 0) == std::vector<double>{3., 3., 3., 0., 0., 0.});
    CHECK(file.find("potentail") == nullptr);
    CHECK(io::Hdf5File::open(path).read_text("/VTKHDF/CellData/electric_field", "Unit") == "V/m");
    CHECK(io::Hdf5File::open(path).read_text("/VTKHDF/PointData/electric_field", "Unit") == "V/m");
    CHECK(io::Hdf5File::open(path).read_text("/VTKHDF/CellData/material", "Names") == "air\noil\n");
  }
  SECTION("phasors as magnitudes and at instants") {
    TwoTriangles grid;
    {
      io::FieldFile written(path, grid.grid);
      written.write_run_id("7");
      const std::vector<double> re{3., 0., 0., 0., 1., 0.}; // of a field of the cells, and of one at the points
      const std::vector<double> im{0., 4., 0., 0., 0., 2.};
      written.write_cell_data("electric_field_real", re.data(), 3);
      written.write_cell_data("electric_field_imaginary", im.data(), 3);
      written.write_point_data("potential_real", re.data());
      written.write_point_data("potential_imaginary", im.data());
      written.close();
    }
    const ResultFile file(path);
    const StoredField* field = file.find("electric_field");
    REQUIRE(field != nullptr);
    CHECK(field->is_phasor);
    CHECK(file.values(*field)[0] == 5.);
    CHECK(file.values(*field, std::nullopt, 0.)[0] == 3.);
    CHECK(std::fabs(file.values(*field, std::nullopt, 90.)[0] - 4.) < 1e-15);
    CHECK(std::fabs(file.values(*field, 1, 90.)[0] + 4.) < 1e-15); // Re(4 j exp(j 90 degrees))
    CHECK(file.values(*file.find("potential"))[1] == 4.);
    CHECK(std::fabs(file.values(*file.find("potential"), std::nullopt, 180.)[0] + 3.) < 1e-15);
    CHECK_FALSE(file.find("electric_field_real")->is_phasor);
  }
  SECTION("elements of order 2 as four linear parts") {
    const std::vector<double> coordinates{0., 0., 2., 0., 0., 2., 1., 0., 1., 1., 0., 1.};
    const std::vector<index_t> element{0, 1, 2, 3, 4, 5};
    FieldGrid grid;
    grid.order = 2;
    grid.n_vertices = 3;
    grid.n_nodes = 6;
    grid.n_elements = 1;
    grid.coordinates = coordinates.data();
    grid.element_nodes = element.data();
    {
      FieldFile out(path, grid);
      const std::vector<double> values{0., 4., 4., 1., 2., 1.};
      out.write_point_data("u", values.data());
      out.close();
    }
    const ResultFile file(path);
    CHECK(file.grid().size() == 4);
    CHECK(file.grid().elements == std::vector<std::int32_t>(4, 0));
    CHECK(file.values(*file.find("u")) == std::vector<double>{0., 1., 1., 1., 4., 2., 1., 2., 4., 1., 2., 1.});
  }
  SECTION("the last of several time steps") {
    {
      const TwoTriangles mesh;
      FieldFile out(path, mesh.grid, 3); // one step was not reached
      for (const double time : {0.5, 1.5}) {
        out.begin_step(time);
        const std::vector<double> values(4, 10. * time);
        out.write_point_data("u", values.data());
      }
      out.close();
    }
    const ResultFile file(path);
    CHECK(file.time() == Approx(1.5));
    CHECK(file.values(*file.find("u")) == std::vector<double>(6, 15.));
  }
  SECTION("points of polytopic elements that lie at one place are one") {
    std::vector<double> coordinates{0., 0., 1., 0., 1., 1., 1., 0., 2., 0., 1., 1.};
    const std::vector<index_t> elements{0, 1, 2, 3, 4, 5};
    FieldGrid grid;
    grid.n_vertices = grid.n_nodes = 6;
    grid.n_elements = 2;
    grid.coordinates = coordinates.data();
    grid.element_nodes = elements.data();
    {
      FieldFile out(path, grid);
      const std::vector<double> u{0., 0., 0., 1., 1., 1.}, element{4., 4.};
      out.write_point_data("u", u.data());
      out.write_cell_data("element", element.data());
      out.close();
    }
    const ResultFile file(path);
    CHECK(file.grid().corners == std::vector<std::int32_t>{0, 1, 2, 1, 4, 2});
    CHECK(file.grid().elements == std::vector<std::int32_t>{4, 4});
    CHECK(file.values(*file.find("u")) == std::vector<double>{0., 0., 0., 1., 1., 1.});
  }
  SECTION("points of one node are one, with values of their own") {
    std::vector<double> coordinates{0., 0., 1., 0., 1., 0., 1., 1., 1., 1., 2., 0.};
    const std::vector<index_t> elements{0, 1, 3, 2, 5, 4}, nodes{4, 7, 7, 8, 8, 9};
    FieldGrid grid;
    grid.n_vertices = grid.n_nodes = 6;
    grid.n_elements = 2;
    grid.coordinates = coordinates.data();
    grid.element_nodes = elements.data();
    {
      FieldFile out(path, grid);
      const std::vector<double> field{3., 4., 3., 4., 0., 5., 3., 4., 0., 5., 0., 5.};
      const std::vector<group_t> regions{0, 1};
      out.write_point_data(io::node_numbers, nodes.data());
      out.write_point_data("electric_field", field.data(), 2);
      out.write_cell_data("material", regions.data());
      out.close();
    }
    const ResultFile file(path);
    CHECK(file.grid().corners == std::vector<std::int32_t>{0, 1, 3, 1, 5, 3});
    CHECK(file.find("node") == nullptr); // not a field
    CHECK(file.values(*file.find("electric_field"), 0) == std::vector<double>{3., 3., 3., 0., 0., 0.});
    CHECK(file.values(*file.find("electric_field"), 1) == std::vector<double>{4., 4., 4., 5., 5., 5.});
  }
  SECTION("pieces of several processes are one grid") {
    const auto write_pieces = [&](const std::vector<std::int64_t>& nodes, std::int64_t last_point) {
      io::Hdf5File out = io::Hdf5File::create(path);
      write_vtkhdf_frame(out, {io::make_vtk_grid(2, 1, 3, 1), io::make_vtk_grid(2, 1, 3, 1)});
      const std::vector<double> points{0., 0., 0., 1., 0., 0., 1., 1., 0., 1., 0., 0., 1., 1., 0., 2., 0., 0.};
      const std::vector<std::int64_t> connectivity{0, 1, 2, 0, last_point, 1};
      const std::vector<double> field{3., 0., 0., 5., 0., 0.};
      const std::vector<std::uint16_t> regions{0, 0};
      out.write<double>("/VTKHDF/Points", {6, 3}, points.data());
      out.write<std::int64_t>("/VTKHDF/Connectivity", {6}, connectivity.data());
      out.write<std::int64_t>("/VTKHDF/PointData/node", {6}, nodes.data());
      out.write<double>("/VTKHDF/CellData/electric_field", {2, 3}, field.data());
      out.write<std::uint16_t>("/VTKHDF/CellData/material", {2}, regions.data());
      out.close();
    };
    write_pieces({4, 7, 8, 7, 8, 9}, 2);
    {
      const ResultFile file(path);
      CHECK(file.grid().corners == std::vector<std::int32_t>{0, 1, 2, 1, 5, 2});
      // Averages over the elements of both pieces at common nodes.
      CHECK(file.values(*file.find("electric_field"), 0) == std::vector<double>{3., 4., 4., 4., 5., 4.});
    }
    write_pieces({4, 7, 8, 7, 8, 9}, 3);
    CHECK_THROWS_WITH(ResultFile(path), ContainsSubstring("a cell has the point 3 of 3"));
  }
  SECTION("pieces of several processes are one grid in time, too") {
    {
      io::Hdf5File out = io::Hdf5File::create(path);
      write_vtkhdf_frame(out, {io::make_vtk_grid(2, 1, 3, 1), io::make_vtk_grid(2, 1, 3, 1)}, true);
      const std::vector<double> points{0., 0., 0., 1., 0., 0., 1., 1., 0., 1., 0., 0., 1., 1., 0., 2., 0., 0.};
      const std::vector<std::int64_t> connectivity{0, 1, 2, 0, 2, 1};
      const std::vector<double> field{0., 0., 0., 0., 0., 0., 1., 2., 3., 4., 5., 6.}; // two steps
      out.write<double>("/VTKHDF/Points", {6, 3}, points.data());
      out.write<std::int64_t>("/VTKHDF/Connectivity", {6}, connectivity.data());
      out.write<double>("/VTKHDF/PointData/u", {12}, field.data());
      write_vtkhdf_steps(out, 2, 6, {0.5, 1.}, {"u"}, {});
      out.close();
    }
    const ResultFile file(path);
    CHECK(file.time() == Approx(1.));
    CHECK(file.values(*file.find("u")) == std::vector<double>{1., 2., 3., 4., 6., 5.});
  }
  SECTION("files of another form are refused") {
    write(path, "no HDF5");
    CHECK_THROWS_AS(ResultFile(path), Error);
    {
      io::Hdf5File out = io::Hdf5File::create(path);
      out.make_group("/VTKHDF");
      out.close();
    }
    CHECK_THROWS_WITH(ResultFile(path), ContainsSubstring("is no file of fields: it has no /VTKHDF/Points"));
    TwoTriangles().write(path, "7");
    std::filesystem::remove(path);
    TwoTriangles broken;
    broken.elements[4] = 9;
    broken.write(path, "7");
    CHECK_THROWS_WITH(ResultFile(path), ContainsSubstring("a cell has the point 9 of 4"));
  }
}

TEST_CASE("what belongs to different runs makes no picture", "[io]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(
      read_results(folder.file("")),
      ContainsSubstring(
          "report.yaml does not exist; pictures, reports and comparisons are made of the output directory"));
  write_run(folder);
  const RunResults results = read_results(folder.file(""));
  CHECK(results.title == "Plates <1> & 2");
  CHECK(results.regions == std::vector<std::string>{"air", "oil"});
  CHECK(results.has_fields());
  write(folder.file("resolved.yaml"),
        "# The whole input, with its defaults, of run 8\nproblem: {physics: electrostatics}\n");
  CHECK_THROWS_WITH(read_results(folder.file("")),
                    ContainsSubstring("resolved.yaml is from another run than the report.yaml next to it"));
}

TEST_CASE("the chart of residuals has the last of each kind of solve, and reports what it leaves out", "[io]") {
  const TemporaryFolder folder;
  write_run(folder);
  Chart chart;
  REQUIRE(convergence_chart(read_results(folder.file("")), chart));
  REQUIRE(chart.curves.size() == 1);
  CHECK(chart.curves[0].name == "solution");
  CHECK_THAT(chart.caption, ContainsSubstring("; round 2"));
  CHECK(chart.curves[0].y == std::vector<double>{1., 0.05, 5e-10});
  CHECK(chart.curves[0].x == std::vector<double>{0., 1., 2.});
  std::vector<tessera::io::ResidualHistory> many;
  for (const char* conductor : {"a", "b", "c", "d", "e", "f", "g"})
    many.push_back({std::string("matrix.") + conductor, 1, 1, {1., 1e-9}});
  many[1] = {"newton-step", 1, 5, {1., 1e-9}};
  tessera::io::write_convergence(folder.file("convergence.csv"), many);
  Chart of_many;
  REQUIRE(convergence_chart(read_results(folder.file("")), of_many));
  CHECK(of_many.curves.size() == 5);
  CHECK(of_many.curves[0].name == "a");
  CHECK(of_many.curves[1].name == "newton-step 5");
  CHECK_THAT(of_many.caption, ContainsSubstring("2 more in convergence.csv"));
  std::filesystem::remove(folder.file("convergence.csv"));
  CHECK_THROWS_WITH(convergence_chart(read_results(folder.file("")), of_many),
                    ContainsSubstring("convergence.csv") && ContainsSubstring("does not exist"));
}

#ifdef TESSERA_HAVE_CAIRO

TEST_CASE("a report is one document with quantities first", "[io]") {
  const TemporaryFolder folder;
  write_run(folder);
  const std::string html = html_report(read_results(folder.file("")));
  CHECK_THAT(html, ContainsSubstring("<h1>Plates &lt;1&gt; &amp; 2</h1>"));
  CHECK_THAT(html, ContainsSubstring("title=\"2.5e-11 F\">25</td><td>pF</td><td class=\"number\">0.0125</td>"));
  CHECK_THAT(html, ContainsSubstring("<li>A note.</li>"));
  CHECK_THAT(html, ContainsSubstring("The solver converged. Status: converged, 2 iterations."));
  CHECK_THAT(html, ContainsSubstring("500.0 ms"));
  CHECK_THAT(html, ContainsSubstring("<th>set-up by colored</th>") && ContainsSubstring("750.0 ms"));
  CHECK(html.find("Quantities") < html.find("<h2>Fields"));
  std::size_t n_images = 0;
  for (std::size_t i = html.find("<img"); i != std::string::npos; i = html.find("<img", i + 1))
    ++n_images;
  CHECK(n_images == 4); // potential, field, mesh, convergence
  // The page loads nothing: the only addresses are names of XML namespaces.
  for (std::size_t i = html.find("http"); i != std::string::npos; i = html.find("http", i + 1))
    CHECK(html.compare(i, 18, "http://www.w3.org/") == 0);

  SECTION("a run that failed says so first") {
    std::string text = read(folder.file("report.yaml"));
    text.replace(text.find("converged: true"), 15, "converged: false");
    write(folder.file("report.yaml"), text);
    CHECK_THAT(html_report(read_results(folder.file(""))),
               ContainsSubstring("<p class=\"bad\">The solver did not converge: the results are not a solution."));
  }
  SECTION("fields of another run are refused, none are reported") {
    TwoTriangles().write(folder.file("fields.vtkhdf"), "8");
    CHECK_THROWS_WITH(html_report(read_results(folder.file(""))),
                      ContainsSubstring("fields.vtkhdf is from another run than the report.yaml"));
    std::filesystem::remove(folder.file("fields.vtkhdf"));
    CHECK_THAT(html_report(read_results(folder.file(""))), ContainsSubstring("The run wrote no file of fields"));
  }
}

TEST_CASE("pictures have the form that their names say", "[io]") {
  const TemporaryFolder folder;
  write_run(folder);
  write(folder.file("axis.csv"), "x [m],y [m],z [m],potential [V],Ex [V/m],Ey [V/m]\n0,0,0,0,1,2\n0,0.5,0,1,1,2\n");
  PlotRequest request;
  request.directory = folder.file("");
  SECTION("fields, the mesh, probes and residuals") {
    for (const char* show : {"", "electric_field", "mesh", "axis", "convergence"}) {
      request.show = show;
      request.path = folder.file("a.svg");
      CHECK(make_plot(request).at(0) == request.path);
      CHECK_THAT(read(request.path), ContainsSubstring("<svg"));
      request.path = folder.file("a.pdf");
      make_plot(request);
      CHECK(read(request.path).substr(0, 5) == "%PDF-");
      request.path = "";
      request.pixels = 333;
      const std::string png = read(make_plot(request).at(0));
      REQUIRE(png.size() > 100);
      CHECK(png.substr(1, 3) == "PNG");
      CHECK(static_cast<unsigned char>(png[18]) * 256 + static_cast<unsigned char>(png[19]) == 333);
    }
    CHECK(std::filesystem::exists(folder.file("potential.png"))); // the default field of electrostatics
  }
  SECTION("wrong requests are reported") {
    const auto message = [&] {
      try {
        make_plot(request);
      } catch (const Error& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    request.path = folder.file("a.gif");
    CHECK_THAT(message(), ContainsSubstring("a.gif' does not end in .png, .svg or .pdf"));
    request.path = "";
    request.show = "potentail";
    CHECK_THAT(message(), ContainsSubstring("unknown field 'potentail'; did you mean 'potential'?"));
    request.show = "potential";
    request.component = "x";
    CHECK_THAT(message(), ContainsSubstring("The field potential has no components"));
    request.show = "electric_field";
    request.component = "w";
    CHECK_THAT(message(), ContainsSubstring("--component: unknown component 'w'"));
    request.component = "y";
    CHECK(message().empty());
    request.section = "z=0";
    CHECK_THAT(message(), ContainsSubstring("The mesh has two dimensions: there is no section of it."));
    for (const char* wrong : {"z", "w=1", "z=", "z=1a", "z=nan"}) {
      request.section = wrong;
      CHECK_THAT(message(), ContainsSubstring("--section: expected x=, y= or z="));
    }
    request.section = "";
    for (const char* wrong : {"1", "2,1", "1,2,3", "a,b", ","}) {
      request.range = wrong;
      CHECK_THAT(message(), ContainsSubstring("--range: expected LOW,HIGH"));
    }
    request.scale = "log";
    CHECK_THAT(message(), ContainsSubstring("--scale: unknown scale 'log'; allowed: auto, linear, logarithmic"));
    request.scale = "linear";
    request.range = "0,10";
    CHECK(message().empty());
    request.window = "0,0,1";
    CHECK_THAT(message(), ContainsSubstring("--window: expected X0,Y0,X1,Y1"));
    request.window = "5,5,6,6";
    CHECK_THAT(message(), ContainsSubstring("The window lies outside of the mesh"));
    request.window = "";
    request.show = "axis";
    request.component = "Ez";
    CHECK_THAT(message(), ContainsSubstring("unknown column 'Ez'"));
    request.directory = folder.file("nowhere");
    CHECK_THAT(message(), ContainsSubstring("report.yaml does not exist"));
  }
}

#else

TEST_CASE("a build without Cairo reports it", "[io]") {
  CHECK_THROWS_WITH(make_plot({}), ContainsSubstring("this build has no Cairo"));
}

#endif
