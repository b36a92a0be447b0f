// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A polygon of 110 curves, of which one has a group: more than a list shows.
n = 110;
For k In {1:n}
  Point(k) = {Cos(2 * Pi * k / n), Sin(2 * Pi * k / n), 0, 0.2};
EndFor
For k In {1:n}
  Line(k) = {k, k % n + 1};
EndFor
Curve Loop(1) = {1:n};
Plane Surface(1) = {1};
Physical Surface("domain") = {1};
Physical Curve("bottom") = {1};
