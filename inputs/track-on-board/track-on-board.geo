// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A copper track on a board, along the track: x is its length, y the thickness, in metres.
length = 20e-3;
board = 1.6e-3;
copper = 0.5e-3;

y[] = {0, board, board + copper};
For k In {0:2}
  Point(2 * k + 1) = {0, y[k], 0};
  Point(2 * k + 2) = {length, y[k], 0};
  Line(k + 1) = {2 * k + 1, 2 * k + 2};
EndFor
For k In {0:1}
  Line(10 + k) = {2 * k + 1, 2 * k + 3};
  Line(20 + k) = {2 * k + 2, 2 * k + 4};
  Curve Loop(k + 1) = {k + 1, 20 + k, -(k + 2), -(10 + k)};
  Plane Surface(k + 1) = {k + 1};
EndFor
Transfinite Curve {1:3} = 21;
Transfinite Curve {10, 20} = 9;
Transfinite Curve {11, 21} = 5;
Transfinite Surface {1, 2};

Physical Surface("board") = {1};
Physical Surface("copper") = {2};
Physical Curve("bottom") = {1};
Physical Curve("from") = {11};
Physical Curve("to") = {21};
