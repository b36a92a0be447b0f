// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inside of a round shield, in metres.
DefineConstant[
  radius = {20e-3, Name "Parameters/Inner radius of the shield"},
  size = {1e-3, Name "Parameters/Size of the elements"}
];

Point(1) = {0, 0, 0};
For k In {0:3}
  Point(10 + k) = {radius * Cos(k * Pi / 2), radius * Sin(k * Pi / 2), 0, size};
EndFor
For k In {0:3}
  Circle(10 + k) = {10 + k, 1, 10 + (k + 1) % 4};
EndFor
Curve Loop(1) = {10:13};
Plane Surface(1) = {1};

Physical Surface("air") = {1};
Physical Curve("shield") = {10:13};
