// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A square of 2 m without one of its quarters, in coarse triangles.
DefineConstant[ size = {0.25, Name "Parameters/Size of the triangles"} ];

Point(1) = {0, 0, 0, size};
Point(2) = {0, -1, 0, size};
Point(3) = {1, -1, 0, size};
Point(4) = {1, 1, 0, size};
Point(5) = {-1, 1, 0, size};
Point(6) = {-1, 0, 0, size};
For k In {1:5}
  Line(k) = {k, k + 1};
EndFor
Line(6) = {6, 1};
Curve Loop(1) = {1:6};
Plane Surface(1) = {1};

Physical Surface("plate") = {1};
Physical Curve("rim") = {1:6};
