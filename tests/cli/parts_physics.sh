#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# parts_physics.sh PROGRAM INPUTS MPIRUN [BACKEND]: processes with partitions of the mesh give the results of one process for every
# kind of problem: around an axis, with magnets and coils, shells and asymptotic conditions, Newton's method, floating bodies
# and periodic sides.
set -u
program=$1 inputs=$2 mpirun=$3 backend=${4:-openmp}
. "$(dirname "$0")/several_processes.sh"
. "$here/parts_alike.sh"

# Around an axis that not all partitions touch; a box, and with order 2.
cat >axis.yaml <<'EOF'
tessera: 1
mesh: {box: {cells: [9, 11], lower: [0, 0], upper: [1, 1.3]}}
problem:
  physics: magnetostatics
  symmetry: axisymmetric
  materials: {domain: {relative_permeability: 3}}
  coils: {winding: {regions: {domain: 1}, turns: 17, current: 0.3}}
  boundaries: {top: {tangential_field: 100*x}}
solver: {preconditioner: jacobi}
output: {fields: [], quantities: [energy, coenergy, flux_linkage, inductance, regions]}
EOF
same_residuals "2 3 4" axis.yaml
same_residuals "3" axis.yaml --set discretization.order=2
start 3 run axis.yaml "${parts[@]}" --output off --set "mesh.box.lower=[0.1,0]"
say 1 "nothing fixes the solution: no node of the mesh lies on the axis"

# Unknowns shared by nodes of several partitions: floating sides, periodic and antiperiodic ones, both together, joined groups, both orders.
cat >shared.yaml <<'EOF'
tessera: 1
mesh: {box: {cells: [7, 6, 5], lower: [0, 0, 0], upper: [1, 0.8, 1.3]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 2 + x*y}}
  boundaries:
    left: {potential: 1 + y}
    top: {floating: {charge: 1.0e-12}}
    bottom: {floating: {charge: -3.0e-12}}
    back: {periodic: front}
solver: {preconditioner: jacobi}
output: {fields: [], quantities: [energy, charge, regions]}
EOF
aggregates=(--set solver.preconditioner=multigrid --set solver.multigrid.type=algebraic --set solver.multigrid.replicated_size=1)
same_residuals "2 3 5" shared.yaml
same_residuals "4" shared.yaml --set "mesh.box.cells=[3,2,2]" --set mesh.refine=1 --set discretization.order=2 "${aggregates[@]}"
# The same on coarser meshes, whose nodes may be owned by distant partitions.
nested=(--set solver.preconditioner=multigrid --set solver.multigrid.type=geometric --set solver.multigrid.replicated_size=1)
same_residuals "2 3 5" shared.yaml --set "mesh.box.cells=[16,12,8]" "${nested[@]}"
same_residuals "3" shared.yaml --set "mesh.box.cells=[4,4,4]" --set mesh.refine=1 --set discretization.order=2 "${nested[@]}"
same_residuals "2" shared.yaml --set "mesh.groups={ends: [top, right]}" \
  --set "problem.boundaries={left: {potential: 1 + y}, ends: {floating: {charge: 1.0e-12}}, back: {periodic: front}}"
square=$inputs/mms-2d/mms-2d.yaml
apart=(--set verification= --set "mesh.box.cells=[32,24]" --set "output.quantities=[energy]")
same_residuals "2 5" "$square" "${apart[@]}" --set "problem.boundaries={left: {antiperiodic: right}, bottom: {periodic: top}}" "${nested[@]}"
same_residuals "3" "$square" "${apart[@]}" --set "problem.boundaries={left: {antiperiodic: right}, bottom: {value: 0}}" --set discretization.order=2 "${nested[@]}"
around=(--set verification= --set "mesh.box.cells=[12,12]" --set "output.quantities=[energy]")
same_residuals "3" "$square" "${around[@]}" --set "problem.boundaries={left: {antiperiodic: right}, bottom: {periodic: top}}" --set discretization.order=2
same_output "3" "$square" "${around[@]}" --set "problem.boundaries={left: {periodic: right}, bottom: {value: 0}}" --set output.recovered=true \
  --set "output.fields=[value, gradient, flux, material]" --set "output.probes={points: {from: [0, 0.1], to: [1, 0.9], points: 9, recovered: true}}"
for strategy in colored ebe-stored; do
  for n in 1 3; do
    start $n run shared.yaml --quiet "${parts[@]}" --output "by-$n" --strategy $strategy
    [ $code = 0 ] || fail "$strategy of $n processes: exit code $code"
  done
  agree by-1 by-3 1e-8 >log || fail "$strategy has other results with shared unknowns" # the solver's tolerance is 1e-10
done
start 3 run "$square" "${around[@]}" --quiet "${parts[@]}" --output off --set "mesh.box.cells=[12,11]" \
  --set "problem.boundaries={left: {periodic: top}, bottom: {value: 0}}"
say 1 "'left' and 'top' have 12 and 13 nodes. Periodic boundaries need matching meshes"

# Matrix-free multigrid with coarser elements that span several partitions.
cases=("shared.yaml --set mesh.box.cells=[16,12,8]" "axis.yaml --set mesh.box.cells=[16,24]" "axis.yaml --set mesh.refine=1 --set discretization.order=2")
if has Gmsh; then # curved boundaries; Newton's method
  cases+=("$inputs/floating-conductor/floating-conductor.yaml --set mesh.refine=2 --set output.quantities=[capacitance]"
    "$inputs/saturated-core/saturated-core.yaml --set mesh.refine=1 --set verification=")
fi
for case in "${cases[@]}"; do
  for n in 1 3; do
    # shellcheck disable=SC2086
    start $n run $case --quiet "${parts[@]}" --output "by-$n" --strategy ebe-stored "${nested[@]}" --set solver.relative_tolerance=1e-11
    [ $code = 0 ] || fail "$case of $n processes without a matrix under multigrid: exit code $code"
  done
  agree by-1 by-3 1e-8 >log || fail "$case: three processes have other results without a matrix under multigrid"
  cmp -s <(grep -E "^ *iterations:" by-1/report.yaml) <(grep -E "^ *iterations:" by-3/report.yaml) || fail "$case: three processes take other iterations"
done

# Forces: with weights of one and of two layers of elements around a body; another source lies in these, too.
tolerance=1e-9 # stresses on both sides cancel
same_residuals "2 3" shared.yaml --set problem.materials.domain.relative_permittivity=3 --set "output.bodies={top: {}, right: {}}" \
  --set "problem.boundaries={left: {potential: 1 + y + z^2}, top: {floating: {charge: 1.0e-12}}, right: {potential: 0}}" \
  --set "output.quantities=[energy, force, torque]"
grep -q "force_wide.top.x: " of-3/report.yaml || fail "no second value of the force"
tolerance=1e-13

if ! has Gmsh; then
  all_passed parts_physics
  exit 0
fi

case_of() { # case_of NAME: a case without the checks for its original mesh
  case=("$inputs/$1/$1.yaml" --set verification= --set output.lines= --set output.surfaces=)
}
case_of coax-axisymmetric
same_residuals "2 3" "${case[@]}" --set "output.quantities=[energy, charge]"
case_of coaxial-coils # a shell
same_residuals "2 3 4" "${case[@]}" --set mesh.size_factor=3 --set "output.quantities=[energy, flux_linkage, coenergy, regions]"
start 3 run "${case[@]}" --quiet "${parts[@]}" --set mesh.size_factor=3 --output off --set "output.quantities=[energy]" \
  --set problem.materials.space.shell.outer_radius=0.2
say 1 "the shell reaches from inner_radius 0.12 to outer_radius 0.2 m, but the region 'space' has nodes between 0.12 and 0.16 m"
case_of magnet-sphere
same_residuals "3" "${case[@]}" --set mesh.size_factor=2 --set "output.quantities=[energy, regions]" --set discretization.order=2
case_of halbach # varying directions of magnetisation
same_residuals "2" "${case[@]}" --set mesh.size_factor=3 --set "output.quantities=[energy, regions]"
case_of isolated-sphere # a circle with an asymptotic condition
same_residuals "3" "${case[@]}" --set mesh.size_factor=3 --set mesh.refine=1 --set "output.quantities=[energy, charge]"
start 3 run "${case[@]}" --quiet "${parts[@]}" --set mesh.size_factor=3 --output off --set "problem.boundaries.far.asymptotic.center=[0,0.1]"
say 1 "an asymptotic condition holds on a circle about its centre, but 'far' has nodes between"

case_of floating-conductor
same_residuals "2 3" "${case[@]}" --set mesh.size_factor=2 --set mesh.refine=1 --set problem.boundaries.tube.floating.charge=1e-12 \
  --set "output.quantities=[energy, charge]"
case_of concentric-spheres
same_residuals "4" "${case[@]}" --set mesh.size_factor=3 --set problem.boundaries.shell.floating.charge=1e-12 --set "output.quantities=[energy, charge]"
# Matrices: the additional solutions, for fixed, floating and excited conductors and for coils.
tolerance=1e-11 # sums of residuals with cancellation
case_of three-wires
same_residuals "3" "${case[@]}" --set mesh.size_factor=2 --set "output.quantities=[capacitance_matrix]"
case_of concentric-spheres
same_residuals "2" "${case[@]}" --set mesh.size_factor=3 --set "output.quantities=[capacitance_matrix]"
case_of coaxial-coils
same_residuals "4" "${case[@]}" --set mesh.size_factor=3 --set "output.quantities=[flux_linkage, inductance_matrix]"
tolerance=1e-13
case_of antiperiodic-pole
same_residuals "3" "${case[@]}" --set mesh.size_factor=2 --set discretization.order=2 --set "output.quantities=[energy]"

case_of wire-in-shield # forces on a region
tolerance=1e-9
same_residuals "2" "${case[@]}" --set mesh.size_factor=2 --set mesh.refine=1 --set "output.quantities=[energy, force, torque]"
tolerance=1e-13

# Newton's method: B-H curves and radiation, with line search sums that do not depend on the distribution of elements.
case_of saturated-core
same_residuals "2 3 4" "${case[@]}" --set "output.quantities=[energy, coenergy, regions]"
same_residuals "3" "${case[@]}" --set mesh.size_factor=2 --set discretization.order=2 --set "output.quantities=[energy, coenergy]" \
  "${aggregates[@]}"
grep -q "^newton,.*,[3-9]," of-3/convergence.csv || fail "Newton's method took no steps: $(cut -d, -f1-4 of-3/convergence.csv | tail -2)"
start 3 run "${case[@]}" --quiet "${parts[@]}" --output plain --set "output.quantities=[energy, coenergy]" --strategy atomic
[ $code = 0 ] || fail "Newton's method by atomic additions: exit code $code"
# Fields and values at points, also on the axis, recovered or not, of a vector potential, and after Newton's method.
same_output "2 3" "${case[@]}" --set mesh.size_factor=2 --set "output.fields=[vector_potential, flux_density, magnetic_field, material]" \
  --set "output.quantities=[energy]" --set "output.probes={points: {from: [0, 0.001], to: [0.014, 0.004], points: 9}}"
case_of coaxial-coils
same_output "3" "${case[@]}" --set mesh.size_factor=3 --set discretization.order=1 --set "output.fields=[vector_potential, flux_density, material]" \
  --set output.recovered=true --set "output.quantities=[energy]" --set "output.probes={points: {points: [[0, 0.02], [0.04, 0.01], [0.13, 0]], recovered: true}}" \
  --set "output.lines={up: {points: [[0.01, 0], [0.01, 0.05]], samples: 20}}"
case_of heat-radiation
same_residuals "2 3" "${case[@]}" --set "output.quantities=[heat_flow, regions]"
# Materials of temperature, whose values at quadrature points parts share.
case_of slab-of-temperature
same_residuals "2 3" "${case[@]}" --set "output.quantities=[heat_flow, regions]"
# Corners at which boundary values differ are reported, whichever process has them.
cat >corners.yaml <<EOF
tessera: 1
mesh: {box: {cells: [40, 30]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 2}}
  boundaries: {left: {potential: 0}, right: {potential: "y + 0.1"}, top: {potential: "x"}, bottom: {potential: 0}}
output: {fields: [], quantities: [energy]}
EOF
for n in 1 2 4; do
  start "$n" run corners.yaml "${parts[@]}" --output corners
  say 0 "'right' and 'bottom' have a different potential where they meet, at (1, 0) m"
  say 0 "'right' and 'top' have a different potential where they meet, at (1, 1) m"
done
all_passed parts_physics
