// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Walls of a pipe and of its insulation in the plane of radius and axis, in metres: x is the radius.
DefineConstant[
  bore = {25e-3, Name "Parameters/Inner radius of the pipe"},
  pipe_thickness = {3e-3, Name "Parameters/Thickness of the pipe"},
  insulation_thickness = {30e-3, Name "Parameters/Thickness of the insulation"},
  length = {0.1, Name "Parameters/Length of pipe"},
  n_pipe = {4, Name "Parameters/Elements across the pipe"},
  n_insulation = {16, Name "Parameters/Elements across the insulation"},
  n_along = {8, Name "Parameters/Elements along the pipe"}
];

r[] = {bore, bore + pipe_thickness, bore + pipe_thickness + insulation_thickness};
For k In {0:2}
  Point(2 * k + 1) = {r[k], 0, 0};
  Point(2 * k + 2) = {r[k], length, 0};
  Line(k + 1) = {2 * k + 1, 2 * k + 2};
EndFor
For k In {0:1}
  Line(10 + k) = {2 * k + 1, 2 * k + 3};
  Line(20 + k) = {2 * k + 2, 2 * k + 4};
  Curve Loop(k + 1) = {10 + k, k + 2, -(20 + k), -(k + 1)};
  Plane Surface(k + 1) = {k + 1};
EndFor
Transfinite Curve {1:3} = n_along + 1;
Transfinite Curve {10, 20} = n_pipe + 1;
Transfinite Curve {11, 21} = n_insulation + 1;
Transfinite Surface {1, 2};

Physical Surface("pipe") = {1};
Physical Surface("insulation") = {2};
Physical Curve("inside") = {1};
Physical Curve("outside") = {3};
