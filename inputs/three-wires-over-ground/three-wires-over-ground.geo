// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of three round wires over a ground plane, in metres. The mesh ends at a half-circle around them; wires are holes.
DefineConstant[
  far = {200e-3, Name "Parameters/Radius of the half-circle"},
  size = {0.25e-3, Name "Parameters/Size of elements at the wires"}
];

x[] = {-12e-3, 0, 10e-3};
y[] = {8e-3, 14e-3, 6e-3};
radius[] = {2e-3, 1e-3, 1.5e-3};

Point(1) = {0, 0, 0, 6 * size};
Point(2) = {far, 0, 0, 80 * size};
Point(3) = {0, far, 0, 80 * size};
Point(4) = {-far, 0, 0, 80 * size};
Line(1) = {4, 1};
Line(2) = {1, 2};
Circle(3) = {2, 1, 3};
Circle(4) = {3, 1, 4};
Curve Loop(1) = {1:4};
loops[] = {1};
For i In {0:2}
  first = 20 + 10 * i;
  Point(first + 4) = {x[i], y[i], 0, size};
  For k In {0:3}
    Point(first + k) = {x[i] + radius[i] * Cos(k * Pi / 2), y[i] + radius[i] * Sin(k * Pi / 2), 0, size};
  EndFor
  For k In {0:3}
    Circle(first + k) = {first + k, first + 4, first + (k + 1) % 4};
  EndFor
  Curve Loop(2 + i) = {first:first + 3};
  loops[] += {2 + i};
  Physical Curve(Sprintf("wire_%g", i + 1)) = {first:first + 3};
EndFor
Plane Surface(1) = {loops[]};

Physical Surface("air") = {1};
Physical Curve("ground") = {1, 2};
Physical Curve("far") = {3, 4};
