// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Half of the axial section of two coaxial coils of square cross-section in air, in metres: x is the radius, y the axis. The ring
// between two half circles stands for all space outside.
DefineConstant[
  radius_1 = {0.05, Name "Parameters/Mean radius of the first coil"},
  radius_2 = {0.04, Name "Parameters/Mean radius of the second coil"},
  distance = {0.03, Name "Parameters/Distance of their planes"},
  side = {2e-3, Name "Parameters/Side of the cross-sections"},
  inner = {0.12, Name "Parameters/Radius of the air"},
  outer = {0.16, Name "Parameters/Outer radius of the ring"},
  size = {0.6e-3, Name "Parameters/Size of elements at the coils"}
];

radius[] = {inner, outer};
Point(1) = {0, 0, 0};
For i In {0:1}
  first = 10 + 10 * i;
  Point(first) = {0, -radius[i], 0, 10 * size};
  Point(first + 1) = {radius[i], 0, 0, 10 * size};
  Point(first + 2) = {0, radius[i], 0, 10 * size};
  Circle(first) = {first, 1, first + 1};
  Circle(first + 1) = {first + 1, 1, first + 2};
EndFor
Line(1) = {10, 12};
Line(2) = {10, 20};
Line(3) = {12, 22};
r[] = {radius_1, radius_2};
For i In {0:1}
  first = 30 + 10 * i;
  z = (0.5 - i) * distance;
  Point(first) = {r[i] - side / 2, z - side / 2, 0, size};
  Point(first + 1) = {r[i] + side / 2, z - side / 2, 0, size};
  Point(first + 2) = {r[i] + side / 2, z + side / 2, 0, size};
  Point(first + 3) = {r[i] - side / 2, z + side / 2, 0, size};
  For k In {0:3}
    Line(first + k) = {first + k, first + (k + 1) % 4};
  EndFor
  Curve Loop(3 + i) = {first:first + 3};
  Plane Surface(3 + i) = {3 + i};
EndFor
Curve Loop(1) = {10, 11, -1};
Curve Loop(2) = {2, 20, 21, -3, -11, -10};
Plane Surface(1) = {1, 3, 4};
Plane Surface(2) = {2};

Physical Surface("air") = {1};
Physical Surface("space") = {2};
Physical Surface("winding_1") = {3};
Physical Surface("winding_2") = {4};
Physical Curve("infinity") = {20, 21};
