// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of three round wires in a round shield, in metres. The wires are meshed, too.
DefineConstant[
  wire_radius = {2e-3, Name "Parameters/Radius of the wires"},
  shield_radius = {20e-3, Name "Parameters/Inner radius of the shield"},
  size = {0.6e-3, Name "Parameters/Size of elements at the wires"}
];

x[] = {10e-3, -6e-3, -4e-3};
y[] = {0, 8e-3, -10e-3};

Point(1) = {0, 0, 0};
For k In {0:3}
  Point(10 + k) = {shield_radius * Cos(k * Pi / 2), shield_radius * Sin(k * Pi / 2), 0, 2.5 * size};
EndFor
For k In {0:3}
  Circle(10 + k) = {10 + k, 1, 10 + (k + 1) % 4};
EndFor
Curve Loop(1) = {10:13};
For i In {0:2}
  first = 20 + 10 * i;
  Point(first + 4) = {x[i], y[i], 0, size};
  For k In {0:3}
    Point(first + k) = {x[i] + wire_radius * Cos(k * Pi / 2), y[i] + wire_radius * Sin(k * Pi / 2), 0, size};
  EndFor
  For k In {0:3}
    Circle(first + k) = {first + k, first + 4, first + (k + 1) % 4};
  EndFor
  Curve Loop(2 + i) = {first:first + 3};
  Plane Surface(2 + i) = {2 + i};
EndFor
Plane Surface(1) = {1, 2, 3, 4};

Physical Surface("air") = {1};
Physical Surface("wire_1") = {2};
Physical Surface("wire_2") = {3};
Physical Surface("wire_3") = {4};
Physical Curve("shield") = {10:13};
