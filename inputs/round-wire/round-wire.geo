// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of a round wire, in metres, with smaller elements at its surface.
DefineConstant[
  radius = {1e-3, Name "Parameters/Radius"},
  size = {0.03e-3, Name "Parameters/Size of elements at the surface"}
];

Point(1) = {0, 0, 0, 3 * size};
For k In {0:3}
  Point(10 + k) = {radius * Cos(k * Pi / 2), radius * Sin(k * Pi / 2), 0, size};
EndFor
For k In {0:3}
  Circle(10 + k) = {10 + k, 1, 10 + (k + 1) % 4};
EndFor
Curve Loop(1) = {10:13};
Plane Surface(1) = {1};
Point{1} In Surface{1};

Physical Surface("wire") = {1};
Physical Curve("surface") = {10:13};
