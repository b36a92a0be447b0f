// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of a round wire that lies off the centre of a round shield, in metres.
DefineConstant[
  wire_radius = {5e-3, Name "Parameters/Radius of the wire"},
  shield_radius = {20e-3, Name "Parameters/Inner radius of the shield"},
  offset = {6e-3, Name "Parameters/Distance of their axes"},
  size = {1e-3, Name "Parameters/Size of elements at the wire"}
];

Point(1) = {0, 0, 0};
Point(2) = {offset, 0, 0, size};
For k In {0:3}
  Point(10 + k) = {offset + wire_radius * Cos(k * Pi / 2), wire_radius * Sin(k * Pi / 2), 0, size};
  Point(20 + k) = {shield_radius * Cos(k * Pi / 2), shield_radius * Sin(k * Pi / 2), 0, 2 * size};
EndFor
For k In {0:3}
  Circle(10 + k) = {10 + k, 2, 10 + (k + 1) % 4};
  Circle(20 + k) = {20 + k, 1, 20 + (k + 1) % 4};
EndFor
Curve Loop(1) = {10:13};
Curve Loop(2) = {20:23};
Plane Surface(1) = {2, 1};
Plane Surface(2) = {1};

Physical Surface("air") = {1};
Physical Surface("wire") = {2};
Physical Curve("shield") = {20:23};
