// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Layers left | right, 1 m wide each from x = start on, of height 1, in the plane or 1 m deep; the right one has two halves, so that three
// regions meet at the middle of the joint.
DefineConstant[ dim = {2}, start = {0}, size = {0.25} ];

Point(1) = {start, 0, 0, size};
Point(2) = {start + 1, 0, 0, size};
Point(3) = {start + 2, 0, 0, size};
Point(4) = {start, 1, 0, size};
Point(5) = {start + 1, 0.5, 0, size};
Point(6) = {start + 2, 0.5, 0, size};
Point(7) = {start + 1, 1, 0, size};
Point(8) = {start + 2, 1, 0, size};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 6};
Line(4) = {6, 8};
Line(5) = {8, 7};
Line(6) = {7, 4};
Line(7) = {4, 1};
Line(8) = {2, 5};
Line(9) = {5, 7};
Line(10) = {5, 6};
Curve Loop(1) = {1, 8, 9, 6, 7};
Curve Loop(2) = {2, 3, -10, -8};
Curve Loop(3) = {10, 4, 5, -9};
Plane Surface(1) = {1};
Plane Surface(2) = {2};
Plane Surface(3) = {3};
If (dim == 2)
  Physical Surface("left") = {1};
  Physical Surface("lower") = {2};
  Physical Surface("upper") = {3};
  Physical Curve("hot") = {7};
  Physical Curve("cold") = {3, 4};
  Physical Curve("joint") = {8, 9};
  Physical Curve("half") = {8};
  Physical Curve("seam") = {10};
Else
  a[] = Extrude {0, 0, 1} { Surface{1}; };
  b[] = Extrude {0, 0, 1} { Surface{2}; };
  c[] = Extrude {0, 0, 1} { Surface{3}; };
  Physical Volume("left") = {a[1]};
  Physical Volume("lower") = {b[1]};
  Physical Volume("upper") = {c[1]};
  Physical Surface("hot") = {a[6]};
  Physical Surface("cold") = {b[3], c[3]};
  Physical Surface("joint") = {a[3], a[4]};
  Physical Surface("half") = {a[3]};
  Physical Surface("seam") = {b[4]};
EndIf
