// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Three flat bars on three sides of a square hub, in metres. The hub is a perfect conductor and a hole in the mesh.
DefineConstant[
  w = {10e-3, Name "Parameters/Width of bars and hub"},
  length_a = {40e-3, Name "Parameters/Length of bar a"},
  length_b = {20e-3, Name "Parameters/Length of bar b"},
  length_c = {60e-3, Name "Parameters/Length of bar c"},
  size = {3e-3, Name "Parameters/Size of elements"}
];

Point(1) = {0, 0, 0, size};
Point(2) = {w, 0, 0, size};
Point(3) = {w, w, 0, size};
Point(4) = {0, w, 0, size};
Point(5) = {-length_a, 0, 0, size};
Point(6) = {-length_a, w, 0, size};
Point(7) = {w + length_b, 0, 0, size};
Point(8) = {w + length_b, w, 0, size};
Point(9) = {0, w + length_c, 0, size};
Point(10) = {w, w + length_c, 0, size};
Line(1) = {1, 4};
Line(2) = {4, 6};
Line(3) = {6, 5};
Line(4) = {5, 1};
Line(5) = {2, 7};
Line(6) = {7, 8};
Line(7) = {8, 3};
Line(8) = {3, 2};
Line(9) = {3, 10};
Line(10) = {10, 9};
Line(11) = {9, 4};
Line(12) = {4, 3};
Curve Loop(1) = {1:4};
Plane Surface(1) = {1};
Curve Loop(2) = {5:8};
Plane Surface(2) = {2};
Curve Loop(3) = {12, 9, 10, 11};
Plane Surface(3) = {3};

Physical Surface("bar_a") = {1};
Physical Surface("bar_b") = {2};
Physical Surface("bar_c") = {3};
Physical Curve("a") = {3};
Physical Curve("b") = {6};
Physical Curve("c") = {10};
Physical Curve("hub") = {1, 8, 12};
