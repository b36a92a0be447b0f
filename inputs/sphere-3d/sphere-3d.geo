// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One octant of the shell between two concentric spheres, in metres.
DefineConstant[
  inner_radius = {10e-3, Name "Parameters/Radius of the inner sphere"},
  outer_radius = {20e-3, Name "Parameters/Radius of the outer sphere"},
  relative_size = {0.08, Name "Parameters/Element size over radius"}
];

Point(1) = {0, 0, 0};
For s In {0:1}
  r = s == 0 ? inner_radius : outer_radius;
  b = 10 * (s + 1);
  Point(b + 1) = {r, 0, 0, r * relative_size};
  Point(b + 2) = {0, r, 0, r * relative_size};
  Point(b + 3) = {0, 0, r, r * relative_size};
  Circle(b + 1) = {b + 1, 1, b + 2};
  Circle(b + 2) = {b + 2, 1, b + 3};
  Circle(b + 3) = {b + 3, 1, b + 1};
  Curve Loop(b) = {b + 1, b + 2, b + 3};
  Surface(b) = {b} In Sphere {1};
EndFor
For k In {1:3}
  Line(30 + k) = {10 + k, 20 + k};
EndFor
For k In {1:3}
  Curve Loop(30 + k) = {30 + k, 20 + k, -(30 + (k % 3) + 1), -(10 + k)};
  Plane Surface(30 + k) = {30 + k};
EndFor
Surface Loop(1) = {10, 20, 31, 32, 33};
Volume(1) = {1};

Physical Volume("dielectric") = {1};
Physical Surface("inner") = {10};
Physical Surface("outer") = {20};
