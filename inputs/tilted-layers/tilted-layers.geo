// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One period, 1 mm x 1 mm, of layers at 45 degrees, each half a period thick: x + y gives the layer.
//
//   D4--7--D3
//   | 1 \ 2 \ |      the points 5 to 8 are in the middles of the sides
//   8 \ 1 \ 2 6
//   | 2 \ 1 \ |
//   D1--5--D2
DefineConstant[ size = {0.1, Name "size of elements"} ];
Point(1) = {0, 0, 0, size};
Point(2) = {1, 0, 0, size};
Point(3) = {1, 1, 0, size};
Point(4) = {0, 1, 0, size};
Point(5) = {0.5, 0, 0, size};
Point(6) = {1, 0.5, 0, size};
Point(7) = {0.5, 1, 0, size};
Point(8) = {0, 0.5, 0, size};
Line(1) = {1, 5}; Line(2) = {5, 2};   // bottom
Line(3) = {2, 6}; Line(4) = {6, 3};   // right
Line(5) = {4, 7}; Line(6) = {7, 3};   // top
Line(7) = {1, 8}; Line(8) = {8, 4};   // left
Line(9) = {5, 8}; Line(10) = {2, 4}; Line(11) = {6, 7}; // between layers
Curve Loop(1) = {1, 9, -7};        Plane Surface(1) = {1};
Curve Loop(2) = {2, 10, -8, -9};   Plane Surface(2) = {2};
Curve Loop(3) = {3, 11, -5, -10};  Plane Surface(3) = {3};
Curve Loop(4) = {4, -6, -11};      Plane Surface(4) = {4};
Periodic Curve {3, 4} = {7, 8} Translate {1, 0, 0};
Periodic Curve {5, 6} = {1, 2} Translate {0, 1, 0};
Physical Surface("filler") = {1, 3};
Physical Surface("metal") = {2, 4};
Physical Curve("left") = {7, 8};
Physical Curve("right") = {3, 4};
Physical Curve("bottom") = {1, 2};
Physical Curve("top") = {5, 6};
