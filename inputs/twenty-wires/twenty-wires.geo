// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of twenty round wires in a ring in a round shield, in metres. Wires and what is outside of the shield are holes.
DefineConstant[
  n_wires = {20, Name "Parameters/Number of wires"},
  wire_radius = {1e-3, Name "Parameters/Radius of the wires"},
  ring_radius = {15e-3, Name "Parameters/Radius of the circle of their centres"},
  shield_radius = {20e-3, Name "Parameters/Inner radius of the shield"},
  size = {0.25e-3, Name "Parameters/Size of elements at the wires"}
];

Point(1) = {0, 0, 0, 4 * size};
For k In {0:3}
  Point(10 + k) = {shield_radius * Cos(k * Pi / 2), shield_radius * Sin(k * Pi / 2), 0, 3 * size};
EndFor
For k In {0:3}
  Circle(10 + k) = {10 + k, 1, 10 + (k + 1) % 4};
EndFor
Curve Loop(1) = {10:13};
loops[] = {1};
For i In {0:n_wires - 1}
  first = 20 + 10 * i;
  x = ring_radius * Cos(2 * Pi * i / n_wires);
  y = ring_radius * Sin(2 * Pi * i / n_wires);
  Point(first + 4) = {x, y, 0, size};
  For k In {0:3}
    Point(first + k) = {x + wire_radius * Cos(k * Pi / 2), y + wire_radius * Sin(k * Pi / 2), 0, size};
  EndFor
  For k In {0:3}
    Circle(first + k) = {first + k, first + 4, first + (k + 1) % 4};
  EndFor
  Curve Loop(2 + i) = {first:first + 3};
  loops[] += {2 + i};
  Physical Curve(Sprintf("wire_%g", i + 1)) = {first:first + 3};
EndFor
Plane Surface(1) = {loops[]};
Point{1} In Surface{1};

Physical Surface("air") = {1};
Physical Curve("shield") = {10:13};
