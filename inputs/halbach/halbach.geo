// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A ring of magnets, what it surrounds, and the air around it, in metres.
DefineConstant[
  inner_radius = {15e-3, Name "Parameters/Inner radius of the ring"},
  outer_radius = {35e-3, Name "Parameters/Outer radius of the ring"},
  air_radius = {42e-3, Name "Parameters/Radius of the mesh"},
  size = {3e-3, Name "Parameters/Size of the elements"}
];

Point(1) = {0, 0, 0};
For i In {1:3}
  r = i == 1 ? inner_radius : (i == 2 ? outer_radius : air_radius);
  For k In {0:3}
    Point(10 * i + k) = {r * Cos(k * Pi / 2), r * Sin(k * Pi / 2), 0, size};
  EndFor
  For k In {0:3}
    Circle(10 * i + k) = {10 * i + k, 1, 10 * i + (k + 1) % 4};
  EndFor
  Curve Loop(i) = {10 * i : 10 * i + 3};
EndFor
Plane Surface(1) = {1};
Plane Surface(2) = {2, 1};
Plane Surface(3) = {3, 2};

Physical Surface("bore") = {1};
Physical Surface("ring") = {2};
Physical Surface("air") = {3};
Physical Curve("far") = {30:33};
