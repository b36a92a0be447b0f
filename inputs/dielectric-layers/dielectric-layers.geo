// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Three dielectric layers on top of each other between two plates, in metres.
DefineConstant[
  width = {10e-3, Name "Parameters/Width"},
  lower_thickness = {0.8e-3, Name "Parameters/Thickness of the lower layer"},
  middle_thickness = {0.3e-3, Name "Parameters/Thickness of the middle layer"},
  upper_thickness = {0.5e-3, Name "Parameters/Thickness of the upper layer"},
  size = {0.1e-3, Name "Parameters/Element size"}
];

y[] = {0, lower_thickness, lower_thickness + middle_thickness, lower_thickness + middle_thickness + upper_thickness};
For k In {0:3}
  Point(2 * k + 1) = {0, y[k], 0, size};
  Point(2 * k + 2) = {width, y[k], 0, size};
  Line(k + 1) = {2 * k + 1, 2 * k + 2};
EndFor
For k In {0:2}
  Line(10 + k) = {2 * k + 1, 2 * k + 3};
  Line(20 + k) = {2 * k + 2, 2 * k + 4};
  Curve Loop(k + 1) = {k + 1, 20 + k, -(k + 2), -(10 + k)};
  Plane Surface(k + 1) = {k + 1};
EndFor

Physical Surface("lower") = {1};
Physical Surface("middle") = {2};
Physical Surface("upper") = {3};
Physical Curve("ground") = {1};
Physical Curve("between") = {2};
Physical Curve("electrode") = {4};
