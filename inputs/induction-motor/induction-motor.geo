// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of the induction motor of problem 30a of the TEAM workshops, in metres: a rotor of steel with an aluminium sleeve, an air
// gap, six sectors of windings with 45 degrees each, and a stator ring of laminated steel, in air.
DefineConstant[
  steel = {20e-3, Name "Parameters/Radius of the rotor's steel"},
  rotor = {30e-3, Name "Parameters/Radius of the rotor"},
  bore = {32e-3, Name "Parameters/Inner radius of the windings"},
  slots = {52e-3, Name "Parameters/Outer radius of the windings"},
  stator = {57e-3, Name "Parameters/Outer radius of the stator"},
  air = {90e-3, Name "Parameters/Radius of the air around it"},
  size = {1.0e-3, Name "Parameters/Size of elements at the air gap"}
];

radii[] = {steel, rotor, bore, slots, stator, air};
sizes[] = {3 * size, size, size, 4 * size, 4 * size, 10 * size};
Point(1) = {0, 0, 0, 5 * size};
// Twelve points on each circle, at the sides of the sectors, and the arcs between them.
For c In {0:5}
  For k In {0:11}
    angle = (Floor(k / 2) * 60 + (k % 2 == 0 ? -22.5 : 22.5)) * Pi / 180;
    Point(100 * (c + 1) + k) = {radii[c] * Cos(angle), radii[c] * Sin(angle), 0, sizes[c]};
  EndFor
  For k In {0:11}
    Circle(100 * (c + 1) + k) = {100 * (c + 1) + k, 1, 100 * (c + 1) + (k + 1) % 12};
  EndFor
  Curve Loop(c + 1) = {100 * (c + 1):100 * (c + 1) + 11};
EndFor
// Sides of the sectors
For k In {0:11}
  Line(1000 + k) = {300 + k, 400 + k};
EndFor

Plane Surface(1) = {1};
Point {1} In Surface {1};
Plane Surface(2) = {2, 1};
Plane Surface(3) = {3, 2};
For k In {0:11}
  Curve Loop(50 + k) = {1000 + k, 400 + k, -(1000 + (k + 1) % 12), -(300 + k)};
  Plane Surface(50 + k) = {50 + k};
EndFor
Plane Surface(5) = {5, 4};
Plane Surface(6) = {6, 5};

Physical Surface("rotor_steel") = {1};
Physical Surface("aluminium") = {2};
Physical Surface("gap") = {3};
Physical Surface("a_plus") = {50};
Physical Surface("c_minus") = {52};
Physical Surface("b_plus") = {54};
Physical Surface("a_minus") = {56};
Physical Surface("c_plus") = {58};
Physical Surface("b_minus") = {60};
Physical Surface("between") = {51, 53, 55, 57, 59, 61};
Physical Surface("stator") = {5};
Physical Surface("air") = {6};
Physical Curve("far") = {600:611};
