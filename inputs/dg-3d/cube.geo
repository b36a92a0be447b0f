// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The unit cube, in unstructured tetrahedra.
DefineConstant[
  size = {0.25, Name "Parameters/Size of the tetrahedra"}
];
For k In {0:7}
  Point(1 + k) = {k % 2, Floor(k / 2) % 2, Floor(k / 4), size};
EndFor
Line(1) = {1, 2}; Line(2) = {2, 4}; Line(3) = {4, 3}; Line(4) = {3, 1};
Line(5) = {5, 6}; Line(6) = {6, 8}; Line(7) = {8, 7}; Line(8) = {7, 5};
Line(9) = {1, 5}; Line(10) = {2, 6}; Line(11) = {4, 8}; Line(12) = {3, 7};
Curve Loop(1) = {4, 9, -8, -12};  Plane Surface(1) = {1};
Curve Loop(2) = {2, 11, -6, -10}; Plane Surface(2) = {2};
Curve Loop(3) = {1, 10, -5, -9};  Plane Surface(3) = {3};
Curve Loop(4) = {3, 12, -7, -11}; Plane Surface(4) = {4};
Curve Loop(5) = {1, 2, 3, 4};     Plane Surface(5) = {5};
Curve Loop(6) = {5, 6, 7, 8};     Plane Surface(6) = {6};
Surface Loop(1) = {1:6};
Volume(1) = {1};
Physical Volume("domain") = {1};
Physical Surface("left") = {1};
Physical Surface("right") = {2};
Physical Surface("bottom") = {3};
Physical Surface("top") = {4};
Physical Surface("back") = {5};
Physical Surface("front") = {6};
