// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One window of a transformer's core with two windings of its full height, in metres.
DefineConstant[
  height = {0.4, Name "Parameters/Height of the window"},
  clearance = {0.01, Name "Parameters/Distance of windings and limbs"},
  low = {0.03, Name "Parameters/Thickness of the low-voltage winding"},
  gap = {0.02, Name "Parameters/Distance of the windings"},
  high = {0.04, Name "Parameters/Thickness of the high-voltage winding"},
  iron = {0.1, Name "Parameters/Thickness of the core"},
  size = {0.01, Name "Parameters/Size of elements"}
];

x[] = {0, clearance, clearance + low, clearance + low + gap, clearance + low + gap + high, 2 * clearance + low + gap + high};
For i In {0:5}
  Point(1 + i) = {x[i], 0, 0, size};
  Point(11 + i) = {x[i], height, 0, size};
  Line(21 + i) = {1 + i, 11 + i};
EndFor
For i In {0:4}
  Line(31 + i) = {1 + i, 2 + i};
  Line(41 + i) = {11 + i, 12 + i};
  Curve Loop(1 + i) = {31 + i, 22 + i, -(41 + i), -(21 + i)};
  Plane Surface(1 + i) = {1 + i};
EndFor
Point(51) = {-iron, -iron, 0, 3 * size};
Point(52) = {x[5] + iron, -iron, 0, 3 * size};
Point(53) = {x[5] + iron, height + iron, 0, 3 * size};
Point(54) = {-iron, height + iron, 0, 3 * size};
For k In {0:3}
  Line(51 + k) = {51 + k, 51 + (k + 1) % 4};
EndFor
Curve Loop(11) = {51:54};
Curve Loop(12) = {31:35, 26, -45, -44, -43, -42, -41, -21};
Plane Surface(11) = {11, 12};

Physical Surface("air") = {1, 3, 5};
Physical Surface("low") = {2};
Physical Surface("high") = {4};
Physical Surface("core") = {11};
Physical Curve("outside") = {51:54};
