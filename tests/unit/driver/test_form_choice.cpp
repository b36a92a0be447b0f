// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/plan.hpp"
#include "driver/problem/problem.hpp"
#include "io/input/case_reader.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tessera;
using driver::FormKind;

namespace {

/// The form that a run creates.
FormKind form_of_run(const io::Case& input, FormKind planned) {
  io::Console quiet(true);
  PhaseLog log;
  std::vector<std::string> notes;
  driver::Context context{input, quiet, log, notes};
  io::ImportedMesh imported;
  imported.dimension = input.mesh.dimension;
  return driver::make_problem(test::FirstSpace(), imported, driver::bind_problem(input, imported), planned,
                              mesh::CoarserMeshes::none, context)
      ->form();
}

/// A case on a box that does not touch the axis.
io::Case read(const std::string& physics, const std::string& symmetry, const std::string& material,
              const std::string& source, const std::string& boundaries, bool solid) {
  const bool is_magnetic = physics == "magnetostatics";
  const std::string source_key =
      physics == "electrostatics" ? "charge_density" : (is_magnetic ? "current_density" : "source");
  return io::read_case_text(
      "tessera: 1\nmesh: {box: {cells: " + std::string(solid ? "[3, 3, 3]" : "[3, 3]") +
          ", lower: " + (solid ? "[1, 0, 0]" : "[1, 0]") + ", upper: " + (solid ? "[2, 1, 1]" : "[2, 1]") +
          "}}\nproblem:\n  physics: " + physics + "\n  symmetry: " + symmetry + "\n  materials: {domain: " + material +
          "}\n  sources: {domain: {" + source_key + ": " + source + "}}\n  boundaries: {" + boundaries + "}\n",
      "case.yaml");
}

/// Checks that plan and run use the same form, and that it is the expected one.
void check_form(const io::Case& input, FormKind expected) {
  io::ImportedMesh imported;
  imported.dimension = input.mesh.dimension;
  const driver::ProblemSize size = driver::problem_size(input, imported, false);
  CHECK(size.memory.form.kind == expected);
  CHECK(size.work.needs_quadrature == (expected != FormKind::closed));
  const driver::Plan plan = driver::make_plan(input, size, -1.);
  CHECK(plan.form == expected);
  CHECK(form_of_run(input, plan.form) == expected);
}

} // namespace

TEST_CASE("Plan and run take the same form in electrostatics and diffusion", "[driver]") {
  struct Physics {
    const char* name;
    const char* coefficient;
    const char* value;
    const char* flux;
    const char* floating;
  };
  for (const Physics& physics :
       {Physics{"electrostatics", "relative_permittivity", "potential", "surface_charge", "floating: {charge: 0}"},
        Physics{"diffusion", "diffusivity", "value", "flux", "equivalue: {total_flux: 0}"}}) {
    const std::string constant = "{" + std::string(physics.coefficient) + ": 2}";
    const std::string varying = "{" + std::string(physics.coefficient) + ": \"1 + y\"}";
    const std::string fixed = "left: {" + std::string(physics.value) + ": \"y\"}";
    const std::vector<std::pair<std::string, FormKind>> boundaries = {
        {fixed, FormKind::closed},
        {fixed + ", right: {" + physics.floating + "}", FormKind::closed},
        {fixed + ", right: {" + physics.flux + ": 1}", FormKind::quadrature},
        {fixed + ", right: {robin: {coefficient: 1e-10, reference: 0}}", FormKind::quadrature},
        {fixed + ", bottom: {periodic: {with: top}}", FormKind::closed},
        {fixed + ", bottom: {antiperiodic: {with: top}}", FormKind::quadrature},
        {"bottom: {antiperiodic: {with: top}}", FormKind::quadrature}};
    for (const auto& [text, kind] : boundaries) {
      CAPTURE(physics.name, text);
      check_form(read(physics.name, "planar", constant, "1", text, false), kind);
      check_form(read(physics.name, "planar", constant, "\"x\"", text, false), FormKind::quadrature);
      check_form(read(physics.name, "planar", varying, "1", text, false), FormKind::quadrature);
      check_form(read(physics.name, "axisymmetric", constant, "1", text, false), FormKind::quadrature);
    }
    CAPTURE(physics.name);
    const std::string tensor = "{" + std::string(physics.coefficient) + ": [[2, 0.5], [0.5, 1]]}";
    check_form(read(physics.name, "planar", tensor, "1", fixed, false), FormKind::quadrature);
    check_form(read(physics.name, "planar", constant, "\"1 + 1\"", fixed, false), FormKind::closed);
    check_form(read(physics.name, "planar", constant, "1", fixed, true), FormKind::closed);
    check_form(read(physics.name, "planar", varying, "1", fixed, true), FormKind::quadrature);
  }
}

TEST_CASE("Plan and run take the same form in magnetostatics", "[driver]") {
  const std::string fixed = "left: {vector_potential: 0}";
  for (const std::string material : {"{relative_permeability: 2}", "{bh_curve: [[0, 0], [100, 0.5], [1000, 1.2]]}"})
    for (const std::string symmetry : {"planar", "axisymmetric"})
      for (const std::string& boundaries :
           {fixed, fixed + ", right: {tangential_field: 10}", fixed + ", bottom: {periodic: {with: top}}",
            fixed + ", bottom: {antiperiodic: {with: top}}"}) {
        CAPTURE(material, symmetry, boundaries);
        check_form(read("magnetostatics", symmetry, material, "1e3", boundaries, false), FormKind::magnetic);
      }
}
