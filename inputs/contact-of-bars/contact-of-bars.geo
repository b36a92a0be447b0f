// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two bars end to end, in metres, and the face at which they touch.
DefineConstant[
  length = {10e-3, Name "Parameters/Length of each bar"},
  height = {5e-3, Name "Parameters/Height"},
  size = {1e-3, Name "Parameters/Element size"}
];

For k In {0:2}
  Point(2 * k + 1) = {k * length, 0, 0, size};
  Point(2 * k + 2) = {k * length, height, 0, size};
  Line(k + 1) = {2 * k + 1, 2 * k + 2};
EndFor
For k In {0:1}
  Line(10 + k) = {2 * k + 1, 2 * k + 3};
  Line(20 + k) = {2 * k + 2, 2 * k + 4};
  Curve Loop(k + 1) = {10 + k, k + 2, -(20 + k), -(k + 1)};
  Plane Surface(k + 1) = {k + 1};
EndFor

Physical Surface("chip") = {1};
Physical Surface("sink") = {2};
Physical Curve("hot") = {1};
Physical Curve("joint") = {2};
Physical Curve("cold") = {3};
