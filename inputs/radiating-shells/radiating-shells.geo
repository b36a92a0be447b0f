// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two shells about the origin with a gap between them, in metres: circles in the plane, or with half = 1 their right halves.
DefineConstant[
  half = {0, Name "Parameters/Only x > 0"},
  size = {0.05, Name "Parameters/Element size"}
];

radius[] = {0.1, 0.2, 0.4, 0.5};
n = half ? 2 : 4; // quarters
Point(1) = {0, 0, 0, size};
For k In {0:3}
  For q In {0:n - 1 + half}
    Point(10 * k + 10 + q) = {radius[k] * Sin(q * Pi / 2), -radius[k] * Cos(q * Pi / 2), 0, size * (1 + k) / 3};
  EndFor
  For q In {0:n - 1}
    Circle(10 * k + 10 + q) = {10 * k + 10 + q, 1, 10 * k + 10 + (half ? q + 1 : (q + 1) % 4)};
  EndFor
EndFor
For s In {0:1} // shells between radius[2 s] and radius[2 s + 1]
  a = 20 * s + 10;
  b = 20 * s + 20;
  If (half)
    Line(100 + 2 * s) = {a, b};
    Line(101 + 2 * s) = {a + 2, b + 2};
    Curve Loop(s + 1) = {100 + 2 * s, b, b + 1, -(101 + 2 * s), -(a + 1), -a};
    Plane Surface(s + 1) = {s + 1};
  Else
    Curve Loop(2 * s + 1) = {a, a + 1, a + 2, a + 3};
    Curve Loop(2 * s + 2) = {b, b + 1, b + 2, b + 3};
    Plane Surface(s + 1) = {2 * s + 2, 2 * s + 1};
  EndIf
EndFor

Physical Surface("inner") = {1};
Physical Surface("outer") = {2};
Physical Curve("hot") = {10:9 + n};
Physical Curve("inside") = {20:19 + n};
Physical Curve("outside") = {30:29 + n};
Physical Curve("cold") = {40:39 + n};
