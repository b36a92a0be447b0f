// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Space between a round wire and a round shield, in metres; the wire may be off the middle, and meshed as well.
DefineConstant[
  a = {10e-3, Name "Parameters/Radius of the wire"},
  b = {20e-3, Name "Parameters/Radius of the shield"},
  offset = {0, Name "Parameters/Distance of their axes"},
  meshed = {0, Name "Parameters/1: with the wire"},
  size = {1e-3, Name "Parameters/Size of elements at the wire"}
];

For i In {0:1}
  x = offset * (1 - i);
  r = a + (b - a) * i;
  h = size * (1 + i);
  Point(10 + 10 * i + 4) = {x, 0, 0, 3 * size};
  For k In {0:3}
    Point(10 + 10 * i + k) = {x + r * Cos(k * Pi / 2), r * Sin(k * Pi / 2), 0, h};
  EndFor
  For k In {0:3}
    Circle(10 + 10 * i + k) = {10 + 10 * i + k, 10 + 10 * i + 4, 10 + 10 * i + (k + 1) % 4};
  EndFor
  Curve Loop(1 + i) = {10 + 10 * i:13 + 10 * i};
EndFor
Plane Surface(2) = {2, 1};
Physical Surface("air") = {2};
If (meshed == 1)
  Plane Surface(1) = {1};
  Physical Surface("wire") = {1};
EndIf
Physical Curve("surface") = {10:13};
Physical Curve("shield") = {20:23};
