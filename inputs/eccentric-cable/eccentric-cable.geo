// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of the dielectric of a cable whose inner conductor lies off the centre, in metres.
DefineConstant[
  inner_radius = {5e-3, Name "Parameters/Radius of the inner conductor"},
  outer_radius = {20e-3, Name "Parameters/Radius of the outer conductor"},
  offset = {6e-3, Name "Parameters/Distance of their axes"},
  size = {1e-3, Name "Parameters/Size of elements at the inner conductor"}
];

Point(1) = {0, 0, 0};
Point(2) = {offset, 0, 0};
For k In {0:3}
  Point(10 + k) = {offset + inner_radius * Cos(k * Pi / 2), inner_radius * Sin(k * Pi / 2), 0, size};
  Point(20 + k) = {outer_radius * Cos(k * Pi / 2), outer_radius * Sin(k * Pi / 2), 0, 2 * size};
EndFor
For k In {0:3}
  Circle(10 + k) = {10 + k, 2, 10 + (k + 1) % 4};
  Circle(20 + k) = {20 + k, 1, 20 + (k + 1) % 4};
EndFor
Curve Loop(1) = {10:13};
Curve Loop(2) = {20:23};
Plane Surface(1) = {2, 1};

Physical Surface("dielectric") = {1};
Physical Curve("inner") = {10:13};
Physical Curve("outer") = {20:23};
