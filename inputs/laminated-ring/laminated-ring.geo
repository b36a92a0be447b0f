// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of a round conductor in the middle of a ring core, in metres.
DefineConstant[
  a = {2e-3, Name "Parameters/Radius of the conductor"},
  b = {10e-3, Name "Parameters/Inner radius of the core"},
  c = {15e-3, Name "Parameters/Outer radius of the core"},
  size = {0.6e-3, Name "Parameters/Size of elements"}
];

Point(1) = {0, 0, 0, size};
radii[] = {a, b, c};
For i In {0:2}
  For k In {0:3}
    Point(10 + 10 * i + k) = {radii[i] * Cos(k * Pi / 2), radii[i] * Sin(k * Pi / 2), 0, size};
  EndFor
  For k In {0:3}
    Circle(10 + 10 * i + k) = {10 + 10 * i + k, 1, 10 + 10 * i + (k + 1) % 4};
  EndFor
  Curve Loop(1 + i) = {10 + 10 * i:13 + 10 * i};
EndFor
Plane Surface(1) = {1};
Plane Surface(2) = {2, 1};
Plane Surface(3) = {3, 2};
Physical Surface("conductor") = {1};
Physical Surface("air") = {2};
Physical Surface("core") = {3};
Physical Curve("outside") = {30:33};
