// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A flat bar that turns by a quarter of a circle, in metres: the terminals are its straight ends.
DefineConstant[
  inner = {20e-3, Name "Parameters/Inner radius"},
  outer = {60e-3, Name "Parameters/Outer radius"},
  size = {3e-3, Name "Parameters/Size of elements"}
];

Point(1) = {0, 0, 0};
Point(2) = {inner, 0, 0, size};
Point(3) = {outer, 0, 0, size};
Point(4) = {0, outer, 0, size};
Point(5) = {0, inner, 0, size};
Line(1) = {2, 3};
Circle(2) = {3, 1, 4};
Line(3) = {4, 5};
Circle(4) = {5, 1, 2};
Curve Loop(1) = {1:4};
Plane Surface(1) = {1};

Physical Surface("copper") = {1};
Physical Curve("in") = {1};
Physical Curve("out") = {3};
