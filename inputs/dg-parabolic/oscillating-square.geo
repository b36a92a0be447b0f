// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The unit square with sine waves for its sides, in metres: a domain as that of section 4.1 of Dong, Georgoulis, Kappas, whose
// boundary "oscillates" and is not given otherwise. size = 0.00261 makes about 505 000 triangles (Gmsh 4.8).
DefineConstant[
  n_waves = {4, Name "Parameters/Waves along each side"},
  amplitude = {0.03, Name "Parameters/Amplitude of the waves"},
  size = {0.03, Name "Parameters/Size of the triangles"}
];
n = n_waves * Ceil(1.3 / (n_waves * size)); // lines along the waves are at most as long as triangles
For side In {0:3}
  For k In {0:n - 1}
    s = k / n;
    w = amplitude * Sin(2 * Pi * n_waves * s);
    x = (side == 0 ? s : (side == 1 ? 1 + w : (side == 2 ? 1 - s : -w)));
    y = (side == 0 ? -w : (side == 1 ? s : (side == 2 ? 1 + w : 1 - s)));
    Point(1 + side * n + k) = {x, y, 0, size};
  EndFor
EndFor
For k In {1:4 * n - 1}
  Line(k) = {k, k + 1};
EndFor
Line(4 * n) = {4 * n, 1};
Curve Loop(1) = {1:4 * n};
Plane Surface(1) = {1};
Physical Surface("domain") = {1};
Physical Curve("bottom") = {1:n};
Physical Curve("right") = {n + 1:2 * n};
Physical Curve("top") = {2 * n + 1:3 * n};
Physical Curve("left") = {3 * n + 1:4 * n};
