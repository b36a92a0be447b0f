// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Half of the axial section of a sphere in a spherical shell of metal in a hollow sphere, in metres: x is the radius, y the axis.
DefineConstant[
  a = {10e-3, Name "Parameters/Radius of the inner sphere"},
  b = {20e-3, Name "Parameters/Inner radius of the shell"},
  c = {22e-3, Name "Parameters/Outer radius of the shell"},
  d = {40e-3, Name "Parameters/Inner radius of the hollow sphere"},
  size = {1.5e-3, Name "Parameters/Size of elements"}
];

radius[] = {a, b, c, d};
Point(1) = {0, 0, 0};
For i In {0:3}
  first = 10 + 10 * i;
  Point(first) = {0, -radius[i], 0, size};
  Point(first + 1) = {radius[i], 0, 0, size};
  Point(first + 2) = {0, radius[i], 0, size};
  Circle(first) = {first, 1, first + 1};
  Circle(first + 1) = {first + 1, 1, first + 2};
EndFor
For i In {0:2}
  first = 10 + 10 * i;
  Line(first + 3) = {first, first + 10};
  Line(first + 4) = {first + 2, first + 12};
  Curve Loop(1 + i) = {first + 3, first + 10, first + 11, -(first + 4), -(first + 1), -first};
  Plane Surface(1 + i) = {1 + i};
EndFor

Physical Surface("inside") = {1};
Physical Surface("shell") = {2};
Physical Surface("outside") = {3};
Physical Curve("inner") = {10, 11};
Physical Curve("outer") = {40, 41};
