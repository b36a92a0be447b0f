// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A slice of an infinitely long solenoid with a solid core, in metres: x is the radius, y the axis. Structured, so that all
// numbers of elements are under control.
DefineConstant[
  core_radius = {10e-3, Name "Parameters/Radius of the core"},
  outer_radius = {14e-3, Name "Parameters/Outer radius of the winding"},
  height = {10e-3, Name "Parameters/Height of the slice"},
  n_core = {10, Name "Parameters/Elements across the core"},
  n_winding = {8, Name "Parameters/Elements across the winding"},
  n_axial = {8, Name "Parameters/Elements along the axis"}
];

Point(1) = {0, 0, 0};
Point(2) = {core_radius, 0, 0};
Point(3) = {outer_radius, 0, 0};
Point(4) = {outer_radius, height, 0};
Point(5) = {core_radius, height, 0};
Point(6) = {0, height, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6};
Line(6) = {6, 1};
Line(7) = {2, 5};
Curve Loop(1) = {1, 7, 5, 6};
Curve Loop(2) = {2, 3, 4, -7};
Plane Surface(1) = {1};
Plane Surface(2) = {2};
Transfinite Curve {1, 5} = n_core + 1;
Transfinite Curve {2, 4} = n_winding + 1;
Transfinite Curve {3, 6, 7} = n_axial + 1;
Transfinite Surface {1, 2} Alternated;

Physical Surface("core") = {1};
Physical Surface("winding") = {2};
Physical Curve("ends") = {1, 2, 4, 5};
Physical Curve("outside") = {3};
