// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Half of a ball, of the air around it and of a shell that stands for all that lies further out, in metres: x is the radius, y the
// axis.
DefineConstant[
  radius = {10e-3, Name "Parameters/Radius of the magnet"},
  inner_radius = {20e-3, Name "Parameters/Inner radius of the shell"},
  outer_radius = {30e-3, Name "Parameters/Outer radius of the shell"},
  size = {1e-3, Name "Parameters/Size of the elements"}
];

Point(1) = {0, 0, 0, size};
For k In {0:2}
  r = k == 0 ? radius : (k == 1 ? inner_radius : outer_radius);
  Point(10 * k + 10) = {0, -r, 0, size};
  Point(10 * k + 11) = {r, 0, 0, size};
  Point(10 * k + 12) = {0, r, 0, size};
  Circle(10 * k + 10) = {10 * k + 10, 1, 10 * k + 11};
  Circle(10 * k + 11) = {10 * k + 11, 1, 10 * k + 12};
EndFor
Line(1) = {12, 10};
Line(2) = {22, 12};
Line(3) = {10, 20};
Line(4) = {32, 22};
Line(5) = {20, 30};
Curve Loop(1) = {10, 11, 1};
Curve Loop(2) = {20, 21, 2, -11, -10, 3};
Curve Loop(3) = {30, 31, 4, -21, -20, 5};
Plane Surface(1) = {1};
Plane Surface(2) = {2};
Plane Surface(3) = {3};

Physical Surface("magnet") = {1};
Physical Surface("air") = {2};
Physical Surface("far_air") = {3};
Physical Curve("axis") = {1:5};
Physical Curve("far") = {30, 31};
