// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of an electromagnet: a C-shaped yoke that opens downwards, a coil around its back, an armature below the two poles, in
// metres. The mesh ends at a circle.
DefineConstant[
  gap = {1e-3, Name "Parameters/Air gap under each pole"},
  far = {0.15, Name "Parameters/Radius of the circle"},
  size = {0.4e-3, Name "Parameters/Size of elements at the corners of the gaps"}
];
w = 15e-3; // width of poles, back and armature
coarse = 3e-3;

// Yoke, from the left pole on; corners at the gap first.
Point(1) = {-30e-3, 0, 0, size};
Point(2) = {-15e-3, 0, 0, size};
Point(3) = {-15e-3, 35e-3, 0, coarse};
Point(4) = {15e-3, 35e-3, 0, coarse};
Point(5) = {15e-3, 0, 0, size};
Point(6) = {30e-3, 0, 0, size};
Point(7) = {30e-3, 50e-3, 0, coarse};
Point(8) = {-30e-3, 50e-3, 0, coarse};
For k In {1:8}
  Line(k) = {k, k % 8 + 1};
EndFor
Curve Loop(1) = {1:8};
Plane Surface(1) = {1};

// Armature; points below the poles' inner corners keep the mesh of the gap fine.
Point(11) = {-30e-3, -gap, 0, size};
Point(12) = {-15e-3, -gap, 0, size};
Point(13) = {15e-3, -gap, 0, size};
Point(14) = {30e-3, -gap, 0, size};
Point(15) = {30e-3, -gap - w, 0, coarse};
Point(16) = {-30e-3, -gap - w, 0, coarse};
For k In {11:16}
  Line(k) = {k, k == 16 ? 11 : k + 1};
EndFor
Curve Loop(2) = {-16:-11}; // counter-clockwise
Plane Surface(2) = {2};

// Sides of the coil.
Point(21) = {-12e-3, 24e-3, 0, coarse};
Point(22) = {12e-3, 24e-3, 0, coarse};
Point(23) = {12e-3, 34e-3, 0, coarse};
Point(24) = {-12e-3, 34e-3, 0, coarse};
Point(31) = {-12e-3, 51e-3, 0, coarse};
Point(32) = {12e-3, 51e-3, 0, coarse};
Point(33) = {12e-3, 61e-3, 0, coarse};
Point(34) = {-12e-3, 61e-3, 0, coarse};
For k In {21:24}
  Line(k) = {k, k == 24 ? 21 : k + 1};
  Line(k + 10) = {k + 10, k == 24 ? 31 : k + 11};
EndFor
Curve Loop(3) = {21:24};
Plane Surface(3) = {3};
Curve Loop(4) = {31:34};
Plane Surface(4) = {4};

Point(40) = {0, 20e-3, 0, coarse};
For k In {0:3}
  Point(41 + k) = {far * Cos(k * Pi / 2), 20e-3 + far * Sin(k * Pi / 2), 0, 12e-3};
EndFor
For k In {0:3}
  Circle(41 + k) = {41 + k, 40, 41 + (k + 1) % 4};
EndFor
Curve Loop(5) = {41:44};
Plane Surface(5) = {5, 1, 2, 3, 4};

Physical Surface("yoke") = {1};
Physical Surface("armature") = {2};
Physical Surface("inner_side") = {3};
Physical Surface("outer_side") = {4};
Physical Surface("air") = {5};
Physical Curve("far") = {41:44};
