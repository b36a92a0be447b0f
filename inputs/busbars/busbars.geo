// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of two upright busbars in air, in metres.
DefineConstant[
  width = {6e-3, Name "Parameters/Width of a bar"},
  height = {60e-3, Name "Parameters/Height of a bar"},
  gap = {10e-3, Name "Parameters/Gap between them"},
  radius = {0.15, Name "Parameters/Radius of the air"},
  size = {1.0e-3, Name "Parameters/Size of elements at the bars"}
];

Point(1) = {0, 0, 0, size};
For k In {0:3}
  Point(2 + k) = {radius * Cos(k * Pi / 2), radius * Sin(k * Pi / 2), 0, 25 * size};
EndFor
For k In {0:3}
  Circle(2 + k) = {2 + k, 1, 2 + (k + 1) % 4};
EndFor
Curve Loop(1) = {2:5};
loops[] = {1};
For b In {0:1}
  left = b == 0 ? -gap / 2 - width : gap / 2;
  p = 10 + 10 * b;
  Point(p) = {left, -height / 2, 0, size};
  Point(p + 1) = {left + width, -height / 2, 0, size};
  Point(p + 2) = {left + width, height / 2, 0, size};
  Point(p + 3) = {left, height / 2, 0, size};
  For k In {0:3}
    Line(p + k) = {p + k, p + (k + 1) % 4};
  EndFor
  Curve Loop(2 + b) = {p:p + 3};
  Plane Surface(2 + b) = {2 + b};
  loops[] += {2 + b};
EndFor
Plane Surface(1) = {loops[]};

Physical Surface("air") = {1};
Physical Surface("left") = {2};
Physical Surface("right") = {3};
Physical Curve("far") = {2:5};
