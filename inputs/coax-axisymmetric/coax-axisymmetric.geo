// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Half of the axial section of a coaxial cable's dielectric, in metres: x is the radius, y the axis.
DefineConstant[
  inner_radius = {0.45e-3, Name "Parameters/Radius of the inner conductor"},
  outer_radius = {1.475e-3, Name "Parameters/Radius of the outer conductor"},
  height = {1e-3, Name "Parameters/Length of the cable"},
  size = {0.04e-3, Name "Parameters/Element size at the inner conductor"}
];

growth = outer_radius / inner_radius;
Point(1) = {inner_radius, 0, 0, size};
Point(2) = {outer_radius, 0, 0, growth * size};
Point(3) = {outer_radius, height, 0, growth * size};
Point(4) = {inner_radius, height, 0, size};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};

Physical Surface("dielectric") = {1};
Physical Curve("inner") = {4};
Physical Curve("outer") = {2};
