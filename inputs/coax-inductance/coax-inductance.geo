// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of a coaxial cable with solid inner and thick outer conductor, in metres. Rings in four sectors, structured and uniform
// in the angle; all circles become polygons of the same number of sides. The inner conductor has a free mesh.
DefineConstant[
  a = {0.45e-3, Name "Parameters/Radius of the inner conductor"},
  b = {1.475e-3, Name "Parameters/Inner radius of the outer conductor"},
  c = {1.8e-3, Name "Parameters/Outer radius of the outer conductor"},
  n_around = {160, Name "Parameters/Elements around, a multiple of 4"}
];

Point(1) = {0, 0, 0};
radius[] = {a, b, c};
For i In {0:2}
  For k In {0:3}
    Point(10 + 10 * i + k) = {radius[i] * Cos(k * Pi / 2), radius[i] * Sin(k * Pi / 2), 0};
  EndFor
  For k In {0:3}
    Circle(10 + 10 * i + k) = {10 + 10 * i + k, 1, 10 + 10 * i + (k + 1) % 4};
  EndFor
EndFor
For i In {0:1}
  n_radial = Round(Log(radius[i + 1] / radius[i]) * n_around / (2 * Pi));
  For k In {0:3}
    Line(50 + 10 * i + k) = {10 + 10 * i + k, 20 + 10 * i + k};
    Transfinite Curve {50 + 10 * i + k} = n_radial + 1 Using Progression (radius[i + 1] / radius[i]) ^ (1 / n_radial);
  EndFor
  For k In {0:3}
    Curve Loop(10 + 10 * i + k) = {50 + 10 * i + k, 20 + 10 * i + k, -(50 + 10 * i + (k + 1) % 4), -(10 + 10 * i + k)};
    Plane Surface(10 + 10 * i + k) = {10 + 10 * i + k};
    Transfinite Surface {10 + 10 * i + k} Alternated;
  EndFor
EndFor
Transfinite Curve {10:13, 20:23, 30:33} = n_around / 4 + 1;
Curve Loop(1) = {10:13};
Plane Surface(1) = {1};

Physical Surface("inner") = {1};
Physical Surface("dielectric") = {10:13};
Physical Surface("outer") = {20:23};
Physical Curve("surface") = {30:33};
