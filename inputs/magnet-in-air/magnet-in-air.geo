// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A round bar magnet across its axis, in metres, and the air around it up to a circle.
DefineConstant[
  magnet_radius = {0.01, Name "Parameters/Radius of the magnet"},
  outer_radius = {0.03, Name "Parameters/Radius of the mesh"},
  n_around = {128, Name "Parameters/Elements around, a multiple of 4"}
];

Point(1) = {0, 0, 0};
For k In {0:3}
  Point(10 + k) = {magnet_radius * Cos(k * Pi / 2), magnet_radius * Sin(k * Pi / 2), 0};
  Point(20 + k) = {outer_radius * Cos(k * Pi / 2), outer_radius * Sin(k * Pi / 2), 0};
EndFor
n_radial = Round(Log(outer_radius / magnet_radius) * n_around / (2 * Pi));
For k In {0:3}
  Circle(10 + k) = {10 + k, 1, 10 + (k + 1) % 4};
  Circle(20 + k) = {20 + k, 1, 20 + (k + 1) % 4};
  Line(30 + k) = {10 + k, 20 + k};
EndFor
For k In {0:3}
  Curve Loop(10 + k) = {30 + k, 20 + k, -(30 + (k + 1) % 4), -(10 + k)};
  Plane Surface(10 + k) = {10 + k};
EndFor
Curve Loop(1) = {10:13};
Plane Surface(1) = {1};
Transfinite Curve {10:13, 20:23} = n_around / 4 + 1;
Transfinite Curve {30:33} = n_radial + 1 Using Progression (outer_radius / magnet_radius) ^ (1 / n_radial);
Transfinite Surface {10:13} Alternated;

Physical Surface("magnet") = {1};
Physical Surface("air") = {10:13};
Physical Curve("far") = {20:23};
