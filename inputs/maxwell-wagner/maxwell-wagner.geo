// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two layers of insulation on top of each other between two plates, in metres: a plate, or with depth > 0 a block.
DefineConstant[
  width = {20e-3, Name "Parameters/Width"},
  depth = {0, Name "Parameters/Depth of a block; 0: in the plane"},
  lower_thickness = {4e-3, Name "Parameters/Thickness of the lower layer"},
  upper_thickness = {6e-3, Name "Parameters/Thickness of the upper layer"},
  size = {2e-3, Name "Parameters/Element size"}
];

y[] = {0, lower_thickness, lower_thickness + upper_thickness};
For k In {0:2}
  Point(2 * k + 1) = {0, y[k], 0, size};
  Point(2 * k + 2) = {width, y[k], 0, size};
  Line(k + 1) = {2 * k + 1, 2 * k + 2};
EndFor
For k In {0:1}
  Line(10 + k) = {2 * k + 1, 2 * k + 3};
  Line(20 + k) = {2 * k + 2, 2 * k + 4};
  Curve Loop(k + 1) = {k + 1, 20 + k, -(k + 2), -(10 + k)};
  Plane Surface(k + 1) = {k + 1};
EndFor

If(depth == 0)
  Physical Surface("oil") = {1};
  Physical Surface("board") = {2};
  Physical Curve("ground") = {1};
  Physical Curve("electrode") = {3};
Else
  lower[] = Extrude {0, 0, depth} { Surface{1}; };
  upper[] = Extrude {0, 0, depth} { Surface{2}; };
  Physical Volume("oil") = {lower[1]};
  Physical Volume("board") = {upper[1]};
  Physical Surface("ground") = {lower[2]};
  Physical Surface("electrode") = {upper[4]};
EndIf
