// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of a square bundle of round wires in air, in metres.
DefineConstant[
  n_side = {8, Name "Parameters/Number of wires along a side"},
  wire_radius = {0.5e-3, Name "Parameters/Radius of the wires"},
  pitch = {1.2e-3, Name "Parameters/Distance of their centres"},
  outer_radius = {20e-3, Name "Parameters/Radius of the air around them"},
  size = {0.2e-3, Name "Parameters/Size of elements at the wires"}
];

Point(1) = {0, 0, 0, 5 * size};
For k In {0:3}
  Point(2 + k) = {outer_radius * Cos(k * Pi / 2), outer_radius * Sin(k * Pi / 2), 0, 12 * size};
EndFor
For k In {0:3}
  Circle(2 + k) = {2 + k, 1, 2 + (k + 1) % 4};
EndFor
Curve Loop(1) = {2:5};
loops[] = {1};
For i In {0:n_side * n_side - 1}
  first = 20 + 10 * i;
  x = (i % n_side - (n_side - 1) / 2) * pitch;
  y = (Floor(i / n_side) - (n_side - 1) / 2) * pitch;
  Point(first + 4) = {x, y, 0, size};
  For k In {0:3}
    Point(first + k) = {x + wire_radius * Cos(k * Pi / 2), y + wire_radius * Sin(k * Pi / 2), 0, size};
  EndFor
  For k In {0:3}
    Circle(first + k) = {first + k, first + 4, first + (k + 1) % 4};
  EndFor
  Curve Loop(2 + i) = {first:first + 3};
  Plane Surface(2 + i) = {2 + i};
  Physical Surface(Sprintf("wire_%g", i + 1)) = {2 + i};
  loops[] += {2 + i};
EndFor
Plane Surface(1) = {loops[]};
Physical Surface("air") = {1};
Physical Curve("outer") = {2:5};
