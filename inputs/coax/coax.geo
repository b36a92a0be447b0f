// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of a coaxial cable's dielectric, in metres: a ring in four sectors with a structured mesh, uniform in the angle and
// in the logarithm of the radius. Both circles become polygons of the same number of sides, so that their ratio of radii, and with
// it the capacitance, is kept.
DefineConstant[
  inner_radius = {0.45e-3, Name "Parameters/Radius of the inner conductor"},
  outer_radius = {1.475e-3, Name "Parameters/Radius of the outer conductor"},
  n_radial = {24, Name "Parameters/Elements between the conductors"},
  n_around = {128, Name "Parameters/Elements around, a multiple of 4"}
];

Point(1) = {0, 0, 0};
For k In {0:3}
  Point(10 + k) = {inner_radius * Cos(k * Pi / 2), inner_radius * Sin(k * Pi / 2), 0};
  Point(20 + k) = {outer_radius * Cos(k * Pi / 2), outer_radius * Sin(k * Pi / 2), 0};
EndFor
For k In {0:3}
  Circle(10 + k) = {10 + k, 1, 10 + (k + 1) % 4};
  Circle(20 + k) = {20 + k, 1, 20 + (k + 1) % 4};
  Line(30 + k) = {10 + k, 20 + k};
EndFor
For k In {0:3}
  Curve Loop(k + 1) = {30 + k, 20 + k, -(30 + (k + 1) % 4), -(10 + k)};
  Plane Surface(k + 1) = {k + 1};
EndFor

Transfinite Curve {10:13, 20:23} = n_around / 4 + 1;
Transfinite Curve {30:33} = n_radial + 1 Using Progression (outer_radius / inner_radius) ^ (1 / n_radial);
Transfinite Surface {1:4} Alternated;

Physical Surface("dielectric") = {1:4};
Physical Curve("inner") = {10:13};
Physical Curve("outer") = {20:23};
