// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of a coaxial cable with a tubular shield, in metres. Currents crowd at the facing surfaces.
DefineConstant[
  core_radius = {1e-3, Name "Parameters/Radius of the core"},
  inner_radius = {3.5e-3, Name "Parameters/Inner radius of the shield"},
  outer_radius = {4.0e-3, Name "Parameters/Outer radius of the shield"},
  size = {0.1e-3, Name "Parameters/Size of elements at the surfaces"}
];

radii[] = {core_radius, inner_radius, outer_radius};
Point(1) = {0, 0, 0, 3 * size};
For c In {0:2}
  For k In {0:3}
    Point(10 * (c + 1) + k) = {radii[c] * Cos(k * Pi / 2), radii[c] * Sin(k * Pi / 2), 0, c == 2 ? 2 * size : size};
  EndFor
  For k In {0:3}
    Circle(10 * (c + 1) + k) = {10 * (c + 1) + k, 1, 10 * (c + 1) + (k + 1) % 4};
  EndFor
  Curve Loop(c + 1) = {10 * (c + 1):10 * (c + 1) + 3};
EndFor
Plane Surface(1) = {1};
Point{1} In Surface{1};
Plane Surface(2) = {2, 1};
Plane Surface(3) = {3, 2};

Physical Surface("core") = {1};
Physical Surface("insulation") = {2};
Physical Surface("shield") = {3};
Physical Curve("surface") = {30:33};
