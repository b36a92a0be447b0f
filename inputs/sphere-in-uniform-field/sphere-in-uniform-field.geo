// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A quarter of the cross-section of a spherical shell, or a solid sphere, in the air within a spherical coil: x is the radius, y the axis.
DefineConstant[
  inner = {0, Name "Parameters/Inner radius of the shell, 0 for a solid sphere"},
  outer = {50e-3, Name "Parameters/Outer radius"},
  coil = {80e-3, Name "Parameters/Inner radius of the coil"},
  thickness = {10e-3, Name "Parameters/Thickness of the coil"},
  size = {2e-3, Name "Parameters/Size of elements in the metal"},
  hole = {0, Name "Parameters/1: the sphere is left out, and its surface is a boundary"}
];

radii[] = {outer, coil, coil + thickness};
sizes[] = {size, 5e-3, 5e-3};
If (inner > 0)
  radii[] = {inner, radii[]};
  sizes[] = {size, sizes[]};
EndIf
Point(1) = {0, 0, 0, 2 * size};
For i In {0:#radii[] - 1}
  Point(10 + i) = {radii[i], 0, 0, sizes[i]};
  Point(20 + i) = {0, radii[i], 0, sizes[i]};
  Circle(30 + i) = {10 + i, 1, 20 + i};
  If (i == 0)
    Line(40) = {1, 10};
    Line(50) = {20, 1};
    Curve Loop(1) = {40, 30, 50};
  Else
    Line(40 + i) = {9 + i, 10 + i};
    Line(50 + i) = {20 + i, 19 + i};
    Curve Loop(1 + i) = {40 + i, 30 + i, 50 + i, -(29 + i)};
  EndIf
  If (i > 0 || hole == 0)
    Plane Surface(1 + i) = {1 + i};
  EndIf
EndFor
n = #radii[];
If (inner > 0)
  Physical Surface("cavity") = {1};
EndIf
If (hole == 0)
  Physical Surface("metal") = {n - 2};
Else
  Physical Curve("surface") = {30};
EndIf
Physical Surface("air") = {n - 1};
Physical Surface("coil") = {n};
Physical Curve("far") = {30 + n - 1};
