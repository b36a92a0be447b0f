// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One pole (or all four) of a machine with surface magnets and concentrated coils, in metres. From the shaft outwards: rotor core,
// magnets, air gap, slots and teeth, yoke; each pole has a magnet of 60 degrees and two half slots of 15 degrees. The mesh is
// structured, and that of every pole the same.
DefineConstant[
  poles = {1, Name "Parameters/Poles in the model, 1 or 4"},
  fineness = {1, Name "Parameters/Multiple of the number of elements"}
];

radius[] = {0.010, 0.020, 0.025, 0.026, 0.036, 0.045};
n_radial[] = {5, 3, 2, 5, 4};
angle[] = {0, 15, 75, 90};
n_angular[] = {5, 20, 5};

blocks = 3 * poles;
// All around, the last angle is the first one.
n_angles = poles == 4 ? blocks : blocks + 1;
Point(1) = {0, 0, 0};
For i In {0:5}
  For j In {0:n_angles - 1}
    phi = (90 * Floor(j / 3) + angle[j % 3]) * Pi / 180;
    Point(100 + 100 * i + j) = {radius[i] * Cos(phi), radius[i] * Sin(phi), 0};
  EndFor
  For j In {0:blocks - 1}
    Circle(1000 + 100 * i + j) = {100 + 100 * i + j, 1, 100 + 100 * i + (j + 1) % n_angles};
    Transfinite Curve {1000 + 100 * i + j} = fineness * n_angular[j % 3] + 1;
  EndFor
EndFor
For i In {0:4}
  For j In {0:n_angles - 1}
    Line(2000 + 100 * i + j) = {100 + 100 * i + j, 200 + 100 * i + j};
    Transfinite Curve {2000 + 100 * i + j} = fineness * n_radial[i] + 1;
  EndFor
  For j In {0:blocks - 1}
    next = (j + 1) % n_angles;
    Curve Loop(3000 + 100 * i + j) = {2000 + 100 * i + j, 1100 + 100 * i + j, -(2000 + 100 * i + next), -(1000 + 100 * i + j)};
    Plane Surface(3000 + 100 * i + j) = {3000 + 100 * i + j};
    Transfinite Surface {3000 + 100 * i + j} = {100 + 100 * i + j, 200 + 100 * i + j, 200 + 100 * i + next, 100 + 100 * i + next};
  EndFor
EndFor

teeth[] = {};
air[] = {3200:3200 + blocks - 1};
For p In {0:poles - 1}
  teeth[] += {3300 + 3 * p + 1};
  air[] += {3100 + 3 * p, 3100 + 3 * p + 2};
  Physical Surface(Sprintf("magnet_%g", p)) = {3100 + 3 * p + 1};
  Physical Surface(Sprintf("slot_%g_first", p)) = {3300 + 3 * p};
  Physical Surface(Sprintf("slot_%g_last", p)) = {3300 + 3 * p + 2};
EndFor
Physical Surface("rotor") = {3000:3000 + blocks - 1};
Physical Surface("stator") = {teeth[], 3400:3400 + blocks - 1};
Physical Surface("air") = {air[]};
Physical Curve("shaft") = {1000:1000 + blocks - 1};
Physical Curve("rim") = {1500:1500 + blocks - 1};
If(poles == 1)
  Physical Curve("first") = {2000:2400:100};
  Physical Curve("last") = {2003:2403:100};
EndIf
