// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A round inclusion of radius 1 in a disc of radius 2; 'left' and 'right' halves of its surface.
DefineConstant[ size = {0.3} ];

Point(1) = {0, 0, 0, size};
For k In {1:2}
  Point(10 * k + 1) = {k, 0, 0, size};
  Point(10 * k + 2) = {0, k, 0, size};
  Point(10 * k + 3) = {-k, 0, 0, size};
  Point(10 * k + 4) = {0, -k, 0, size};
  Circle(10 * k + 1) = {10 * k + 1, 1, 10 * k + 2};
  Circle(10 * k + 2) = {10 * k + 2, 1, 10 * k + 3};
  Circle(10 * k + 3) = {10 * k + 3, 1, 10 * k + 4};
  Circle(10 * k + 4) = {10 * k + 4, 1, 10 * k + 1};
  Curve Loop(k) = {10 * k + 1, 10 * k + 2, 10 * k + 3, 10 * k + 4};
EndFor
Plane Surface(1) = {1};
Plane Surface(2) = {2, 1};
Physical Surface("inner") = {1};
Physical Surface("outer") = {2};
Physical Curve("interface") = {11, 12, 13, 14};
Physical Curve("right") = {14, 11};
Physical Curve("left") = {12, 13};
Physical Curve("rim") = {21, 22, 23, 24};
