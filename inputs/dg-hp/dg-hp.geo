// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An L-shaped domain with its re-entrant corner at the origin, in metres: nested L-shaped rings, each smaller than the one around it
// by the same factor, of twelve triangles each, and six triangles at the corner.
DefineConstant[
  n_rings = {8, Name "Parameters/Rings around the corner"},
  factor = {0.2, Name "Parameters/Size of a ring, of that of the one around it"}
];
x[] = {1, 1, 0, -1, -1, -1, 0};
y[] = {0, 1, 1, 1, 0, -1, -1};

Point(1) = {0, 0, 0};
For r In {0:n_rings}
  For k In {0:6}
    Point(10 * (r + 1) + k) = {x[k] * factor ^ r, y[k] * factor ^ r, 0};
  EndFor
  For k In {0:5}
    Line(100 * (r + 1) + k) = {10 * (r + 1) + k, 10 * (r + 1) + k + 1};
  EndFor
EndFor
For r In {0:n_rings - 1}
  For k In {0:6}
    Line(100 * (r + 1) + 10 + k) = {10 * (r + 1) + k, 10 * (r + 2) + k};
  EndFor
  For k In {0:5}
    Curve Loop(100 * (r + 1) + k) = {100 * (r + 1) + k, 100 * (r + 1) + 11 + k, -(100 * (r + 2) + k), -(100 * (r + 1) + 10 + k)};
    Plane Surface(100 * (r + 1) + k) = {100 * (r + 1) + k};
  EndFor
EndFor
For k In {0:6}
  Line(100 * (n_rings + 1) + 10 + k) = {10 * (n_rings + 1) + k, 1};
EndFor
For k In {0:5}
  Curve Loop(100 * (n_rings + 1) + k) = {100 * (n_rings + 1) + k, 100 * (n_rings + 1) + 11 + k, -(100 * (n_rings + 1) + 10 + k)};
  Plane Surface(100 * (n_rings + 1) + k) = {100 * (n_rings + 1) + k};
EndFor
Transfinite Curve "*" = 2;
Transfinite Surface "*";

Physical Surface("domain") = Surface "*";
Physical Curve("outer") = {100:105};
sides[] = {};
For r In {0:n_rings}
  sides[] += {100 * (r + 1) + 10, 100 * (r + 1) + 16};
EndFor
Physical Curve("sides") = {sides[]};
