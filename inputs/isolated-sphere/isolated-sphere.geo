// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Half of the axial section of the space between two spheres, in metres: x is the radius, y the axis.
DefineConstant[
  inner = {10e-3, Name "Parameters/Radius of the sphere"},
  outer = {20e-3, Name "Parameters/Radius where the mesh ends"},
  size = {1e-3, Name "Parameters/Size of elements at the sphere"}
];

Point(1) = {0, 0, 0};
For i In {0:1}
  first = 10 + 10 * i;
  radius = (1 - i) * inner + i * outer;
  Point(first) = {0, -radius, 0, size * radius / inner};
  Point(first + 1) = {radius, 0, 0, size * radius / inner};
  Point(first + 2) = {0, radius, 0, size * radius / inner};
  Circle(first) = {first, 1, first + 1};
  Circle(first + 1) = {first + 1, 1, first + 2};
EndFor
Line(3) = {10, 20};
Line(4) = {12, 22};
Curve Loop(1) = {3, 20, 21, -4, -11, -10};
Plane Surface(1) = {1};

Physical Surface("air") = {1};
Physical Curve("sphere") = {10, 11};
Physical Curve("far") = {20, 21};
