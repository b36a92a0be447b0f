// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Half of the axial section of a cable's screen and insulation, in metres: x is the radius, y the axis.
DefineConstant[
  inner_radius = {5e-3, Name "Parameters/Radius of the conductor"},
  screen_radius = {5.5e-3, Name "Parameters/Radius of the screen on it"},
  outer_radius = {10e-3, Name "Parameters/Radius of the insulation"},
  height = {1e-3, Name "Parameters/Length of the cable"},
  size = {0.25e-3, Name "Parameters/Element size"}
];

radius[] = {inner_radius, screen_radius, outer_radius};
For k In {0:2}
  Point(2 * k + 1) = {radius[k], 0, 0, size};
  Point(2 * k + 2) = {radius[k], height, 0, size};
  Line(k + 1) = {2 * k + 1, 2 * k + 2};
EndFor
For k In {0:1}
  Line(10 + k) = {2 * k + 1, 2 * k + 3};
  Line(20 + k) = {2 * k + 2, 2 * k + 4};
  Curve Loop(k + 1) = {10 + k, k + 2, -(20 + k), -(k + 1)};
  Plane Surface(k + 1) = {k + 1};
EndFor

Physical Surface("screen") = {1};
Physical Surface("insulation") = {2};
Physical Curve("conductor") = {1};
Physical Curve("sheath") = {3};
