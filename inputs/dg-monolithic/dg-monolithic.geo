// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Space-time: a rod along x, whose left end moves from x = 0 to x = 0.4 until the time y = 0.5, and then stays there.
Point(1) = {0, 0, 0, 0.04};
Point(2) = {1, 0, 0, 0.04};
Point(3) = {1, 1, 0, 0.04};
Point(4) = {0.4, 1, 0, 0.04};
Point(5) = {0.4, 0.5, 0, 0.04};
For k In {1:4}
  Line(k) = {k, k + 1};
EndFor
Line(5) = {5, 1};
Curve Loop(1) = {1:5};
Plane Surface(1) = {1};
Physical Surface("rod") = {1};
Physical Curve("start") = {1};
Physical Curve("right_end") = {2};
Physical Curve("end") = {3};
Physical Curve("insulated") = {4};
Physical Curve("moving") = {5};
