// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of a coaxial line with a metal tube between its conductors, in metres. The tube is meshed, as the region "tube".
// All circles become polygons of the same number of sides, so that the ratios of their radii are kept.
DefineConstant[
  inner_radius = {1e-3, Name "Parameters/Radius of the inner conductor"},
  tube_inner_radius = {2e-3, Name "Parameters/Inner radius of the tube"},
  tube_outer_radius = {2.5e-3, Name "Parameters/Outer radius of the tube"},
  outer_radius = {5e-3, Name "Parameters/Radius of the outer conductor"},
  n_radial = {16, Name "Parameters/Elements in each gap"},
  n_around = {128, Name "Parameters/Elements around, a multiple of 4"}
];

r[] = {inner_radius, tube_inner_radius, tube_outer_radius, outer_radius};
n[] = {n_radial, 4, n_radial};
Point(1) = {0, 0, 0};
For i In {0:3}
  For k In {0:3}
    Point(10 * i + 11 + k) = {r[i] * Cos(k * Pi / 2), r[i] * Sin(k * Pi / 2), 0};
  EndFor
  For k In {0:3}
    Circle(10 * i + 11 + k) = {10 * i + 11 + k, 1, 10 * i + 11 + (k + 1) % 4};
    Transfinite Curve {10 * i + 11 + k} = n_around / 4 + 1;
  EndFor
EndFor
For i In {0:2}
  For k In {0:3}
    Line(10 * i + 111 + k) = {10 * i + 11 + k, 10 * i + 21 + k};
    Transfinite Curve {10 * i + 111 + k} = n[i] + 1 Using Progression (r[i + 1] / r[i]) ^ (1 / n[i]);
  EndFor
  For k In {0:3}
    s = 4 * i + k + 1;
    Curve Loop(s) = {10 * i + 111 + k, 10 * i + 21 + k, -(10 * i + 111 + (k + 1) % 4), -(10 * i + 11 + k)};
    Plane Surface(s) = {s};
    Transfinite Surface {s} Alternated;
  EndFor
EndFor

Physical Surface("air") = {1:4, 9:12};
Physical Surface("tube") = {5:8};
Physical Curve("inner") = {11:14};
Physical Curve("outer") = {41:44};
