#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# parts_sources.sh PROGRAM INPUTS MPIRUN [BACKEND]: processes with partitions of the mesh give the results of one process for sources at
# points and along lines, and on surfaces within the mesh: a source, a piece of a line and a facet between two partitions count once.
set -u
program=$1 inputs=$2 mpirun=$3 backend=${4:-openmp}
. "$(dirname "$0")/several_processes.sh"
. "$here/parts_alike.sh"

# Sources at a node, on an edge, in an element, at a corner, and where the potential is fixed; each is owned by one process.
cat >sources.yaml <<'EOF'
tessera: 1
mesh: {box: {cells: [12, 10], lower: [0, 0], upper: [1.2, 1]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 2 + x*y}}
  point_sources:
    node: {at: [0.5, 0.5], charge: 1.0e-12}
    edge: {at: [0.55, 0.3], charge: -2.0e-12}
    inside: {at: [0.93, 0.71], charge: 3.0e-12}
    corner: {at: [1.2, 1.0], charge: 3.0e-12}
    fixed: {at: [0, 0.5], charge: 7.0e-12}
  boundaries: {left: {potential: 1 + y}}
solver: {preconditioner: jacobi}
output: {fields: [], quantities: [energy, charge, regions]}
EOF
same_residuals "2 3 4 5" sources.yaml
for n in 1 5; do
  [ "$(grep -c "the point source 'fixed' lies where the potential is fixed" of-$n/report.yaml)" = 1 ] || fail "a source without effect is not told of $n processes"
done
same_residuals "3" sources.yaml --set mesh.refine=1 --set discretization.order=2
same_residuals "4" sources.yaml --set "problem.boundaries={bottom: {potential: 1 + x}, left: {periodic: right}}"
start 3 run sources.yaml "${parts[@]}" --output off --set "problem.point_sources.inside.at=[3,3]"
say 1 "the point source 'inside' at (3, 3) m lies outside of the mesh, whose nearest node is 2.69072 m away"
far=(--set problem.materials.domain.relative_permittivity=3 --set "problem.boundaries={left: {potential: 1}, bottom: {potential: 0}}"
  --set "output.quantities=[force]" --set "output.bodies={left: {}}")
start 3 run sources.yaml --quiet "${parts[@]}" --output off "${far[@]}"
say 1 "no force on the body 'left': the point source 'fixed' lies in the layer of elements around it"
# A total is distributed over the whole region, not over each process's share of it; by closed formulas and by quadrature.
cat >totals.yaml <<'EOF'
tessera: 1
mesh: {box: {cells: [12, 10], lower: [0, 0], upper: [1.2, 1]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 2}}
  sources: {domain: {charge: 3.0e-12}}
  boundaries: {left: {potential: 1}}
solver: {preconditioner: jacobi}
output: {fields: [], quantities: [energy, charge]}
EOF
same_residuals "2 3" totals.yaml
start 3 run totals.yaml --quiet "${parts[@]}" --output off --set "verification.quantities={charge.left: {value: -3e-12, tolerance: 1e-8}}"
[ $code = 0 ] || fail "the charge of a region in three parts is not the one given: exit code $code"
same_residuals "3" totals.yaml --set mesh.refine=1 --set discretization.order=2 --set "problem.materials.domain.relative_permittivity=2 + x"
# Currents at points together with a B-H curve: their work is part of the line search.
cat >currents.yaml <<'EOF'
tessera: 1
mesh: {box: {cells: [12, 10], lower: [0, 0], upper: [1.2, 1]}}
problem:
  physics: magnetostatics
  materials: {domain: {bh_curve: [[0, 0], [100, 1], [1000, 1.5], [10000, 1.9]]}}
  point_sources: {there: {at: [0.43, 0.51], current: 300}, back: {at: [0.81, 0.51], current: -300}}
  boundaries: {left: {vector_potential: 0}}
solver: {preconditioner: jacobi}
output: {fields: [], quantities: [energy, coenergy]}
EOF
same_residuals "3" currents.yaml
grep -q "^newton,.*,[3-9]," of-3/convergence.csv || fail "Newton's method took no steps beside point sources"


# Lines along edges of the mesh and in its facets, which belong to many elements, oblique to it, on a fixed side, and together with points.
cat >lines.yaml <<'EOF'
tessera: 1
mesh: {box: {cells: [8, 6, 5], lower: [0, 0, 0], upper: [1.6, 1.2, 1]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 2 + x*y}}
  line_sources:
    edges: {from: [0, 0.6, 0.4], to: [1.6, 0.6, 0.4], charge_per_length: 1.0e-12}
    facets: {from: [0.2, 0, 0.4], to: [0.2, 1.2, 0.7], charge_per_length: -2.0e-12}
    diagonals: {from: [0, 0, 0.2], to: [1, 1, 0.2], charge_per_length: 1.5e-12}
    askew: {from: [0.13, 0.27, 0.05], to: [1.51, 1.11, 0.93], charge_per_length: 3.0e-12}
    fixed: {from: [0, 0.2, 0.2], to: [0, 0.9, 0.2], charge_per_length: 7.0e-12}
    half: {from: [1.2, 0.6, 0.4], to: [0.4, 0.6, 0.4], charge_per_length: -1.0e-12}
  point_sources: {on: {at: [0.6, 0.6, 0.4], charge: 1.0e-12}}
  boundaries: {left: {potential: 1 + y}, right: {floating: {charge: 1.0e-12}}}
solver: {preconditioner: jacobi}
output: {fields: [], quantities: [energy, charge, regions]}
EOF
same_residuals "2 3 5" lines.yaml
for n in 1 5; do
  [ "$(grep -c "the line source 'fixed' lies where the potential is fixed" of-$n/report.yaml)" = 1 ] || fail "a line without effect is not told of $n processes"
done
start 1 run lines.yaml --quiet --backend "$backend" --output whole --set execution.reproducible=true
cmp -s whole/convergence.csv of-5/convergence.csv || fail "the whole mesh has other residuals than parts with lines"
# The sides receive the total of all sources; a line counts by its length.
results of-5 | awk '$1 ~ /^charge\./ {sum += $2}
  END {d = sum + 1.6e-12 - 2e-12 * sqrt(1.53) + 1.5e-12 * sqrt(2) + 3e-12 * sqrt(1.38^2 + 0.84^2 + 0.88^2) + 7e-12 * 0.7 - 0.8e-12 + 1e-12
    print sum, d; exit !(d * d < 1e-40)}' >log || fail "sides do not take the charge of all lines"
same_residuals "2 3" lines.yaml --set discretization.order=2
same_residuals "3" lines.yaml --set "mesh.box.cells=[4,3,3]" --set mesh.refine=1
same_residuals "4" lines.yaml --set "problem.boundaries={bottom: {potential: 1 + x}, left: {periodic: right}}"
start 3 run lines.yaml "${parts[@]}" --output off --set "problem.line_sources.askew.to=[2.51,1.11,0.93]"
say 1 "m of the .* m of the line source 'askew' lie outside of the mesh, first near (1\.6"
start 3 run lines.yaml --quiet "${parts[@]}" --output off --set problem.materials.domain.relative_permittivity=3 --set "output.quantities=[force]" \
  --set "output.bodies={left: {}}"
say 1 "no force on the body 'left': the line source '[a-z]*' lies in the layer of elements around it"
# Heat along a line together with radiation: its work is part of the line search.
cat >heater.yaml <<'EOF'
tessera: 1
mesh: {box: {cells: [6, 5, 4], lower: [0, 0, 0], upper: [1.2, 1, 0.8]}}
problem:
  physics: heat
  materials: {domain: {thermal_conductivity: 2}}
  line_sources: {wire: {from: [0.05, 0.4, 0.4], to: [1.13, 0.8, 0.4], power_per_length: 4000}}
  boundaries: {left: {temperature: 300}, top: {radiation: {emissivity: 0.8, ambient: 300}}}
solver: {preconditioner: jacobi}
output: {fields: [], quantities: [heat_flow]}
EOF
same_residuals "3" heater.yaml
grep -q "^newton,.*,[3-9]," of-3/convergence.csv || fail "Newton's method took no steps beside a line source"
start 1 run heater.yaml --quiet --backend "$backend" --output whole --set execution.reproducible=true
cmp -s whole/convergence.csv of-3/convergence.csv || fail "the whole mesh has other residuals than parts with a line and radiation"

if ! has Gmsh; then
  all_passed parts_sources
  exit 0
fi

# Surfaces within the mesh, whose facets lie between elements of two partitions: between regions, one of which may be a conductor or a
# shell, and within a region, by elementwise and by recovered fields.
within() { # within NUMBERS CASE ARGUMENTS...: also compares with the whole mesh
  same_residuals "$@"
  shift
  start 1 run "$@" --quiet --backend "$backend" --output whole --set execution.reproducible=true --set output.fields=[] --set output.probes=
  agree whole of-1 1e-12 >log || fail "$1: the whole mesh has other results" # sums in a different order
}
layers=$inputs/dielectric-layers/dielectric-layers.yaml
plain=(--set verification= --set output.recovered=false --set output.lines= --set output.quantities=[energy])
within "2 3" "$layers" "${plain[@]}"
grep -q "flux.between: {value: .* from: middle, to: lower" of-3/report.yaml || fail "no direction of the flux: $(grep flux.between of-3/report.yaml)"
within "3" "$layers" "${plain[@]}" --set discretization.order=2 --set mesh.refine=1 --set "output.surfaces={between: {away_from: [5e-3, 0]}}"
start 3 run "$layers" "${parts[@]}" "${plain[@]}" --output off --set output.surfaces.between.from=upper
say 1 "region 'upper' does not lie along the whole surface. Those that do: 'lower', 'middle'"
within "2 5" "$inputs/step-layers/step-layers.yaml" "${plain[@]}" --set "mesh.groups.between={near: [10, 5, 1]}" \
  --set "output.surfaces={inner: {groups: [between], from: oil}, all: {groups: [between, upper_plate], from: oil}}"
within "3" "$inputs/coaxial-coils/coaxial-coils.yaml" "${plain[@]}" --set mesh.size_factor=3 --set "output.surfaces={infinity: {}}"
told() { grep -o "surface 'infinity': .* facets lie in the shell 'space'" "$1/report.yaml"; }
[ -n "$(told of-1)" ] && [ "$(told of-1)" = "$(told of-3)" ] || fail "other facets in the shell: $(told of-1), $(told of-3)"
cat >cut.geo <<'EOF'
x[] = {0, 1, 1, 0, 0.2, 0.8, 0.4, 0.6, 0.6, 0.4};
y[] = {0, 0, 1, 1, 0.25, 0.35, 0.6, 0.6, 0.8, 0.8};
For k In {1:10}
  Point(k) = {x[k - 1], y[k - 1], 0, 0.1};
EndFor
For k In {1:4}
  Line(k) = {k, k % 4 + 1};
  Line(10 + k) = {6 + k, 6 + k % 4 + 1};
EndFor
Line(5) = {5, 6};
Curve Loop(1) = {1, 2, 3, 4};
Curve Loop(2) = {11, 12, 13, 14};
Plane Surface(1) = {1, 2};
Plane Surface(2) = {2};
Curve{5} In Surface{1};
Physical Surface("domain") = {1};
Physical Surface("core") = {2};
Physical Curve("lower") = {1};
Physical Curve("upper") = {3};
Physical Curve("cut") = {5};
Physical Curve("skin") = {11, 12, 13, 14};
EOF
cat >cut.yaml <<'EOF'
tessera: 1
mesh: {geometry: cut.geo, dimension: 2, refine: 1}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 2 + x*y}, core: {relative_permittivity: 5}}
  boundaries: {lower: {potential: 1 + x}, upper: {potential: 0}}
output:
  fields: []
  quantities: [charge]
  surfaces: {cut: {away_from: [0.5, 0]}, lower: {groups: [lower, cut], away_from: [0.5, 0]}, skin: {from: domain}, both: {groups: [skin, upper], from: core}}
EOF
within "2 3 4" cut.yaml
within "3" cut.yaml --set discretization.order=2 --set mesh.refine=0
within "3" cut.yaml --set "problem.boundaries.core={floating: {charge: 1.0e-12}}" # only the field outside the conductor gives the flux
start 3 run cut.yaml "${parts[@]}" --output off --set "output.surfaces={cut: {}}"
say 1 "output.surfaces.cut: it lies within region 'domain', so that no region determines the sign of its flux"
all_passed parts_sources
