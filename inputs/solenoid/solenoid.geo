// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Half of the axial section of a finite solenoid in air, in metres: x is the radius, y the axis, the origin its middle. The air ends
// on a half circle.
DefineConstant[
  inner_radius = {0.048, Name "Parameters/Inner radius of the winding"},
  thickness = {0.004, Name "Parameters/Thickness of the winding"},
  length = {0.2, Name "Parameters/Length of the winding"},
  air_radius = {0.5, Name "Parameters/Radius of the air around"},
  size = {0.002, Name "Parameters/Element size at axis and winding"}
];

h = length / 2;
r1 = inner_radius;
r2 = inner_radius + thickness;
h_far = air_radius / 6;

Point(1) = {0, -air_radius, 0};
Point(2) = {0, -2 * h, 0};
Point(3) = {0, 2 * h, 0};
Point(4) = {0, air_radius, 0};
Point(5) = {air_radius, 0, 0};
Point(6) = {0, 0, 0};
Line(1) = {1, 2};
Line(2) = {2, 6};
Line(3) = {6, 3};
Line(4) = {3, 4};
Circle(5) = {4, 6, 5};
Circle(6) = {5, 6, 1};

Point(11) = {r1, -h, 0};
Point(12) = {r2, -h, 0};
Point(13) = {r2, h, 0};
Point(14) = {r1, h, 0};
Line(11) = {11, 12};
Line(12) = {12, 13};
Line(13) = {13, 14};
Line(14) = {14, 11};

Curve Loop(1) = {-6, -5, -4, -3, -2, -1};
Curve Loop(2) = {11, 12, 13, 14};
Plane Surface(1) = {1, 2};
Plane Surface(2) = {2};

Physical Surface("air") = {1};
Physical Surface("winding") = {2};
Physical Curve("axis") = {1, 2, 3, 4};
Physical Curve("far") = {5, 6};

// Element size: `size` at the winding and on the axis inside and near it, h_far at the outer boundary.
Field[1] = Distance;
Field[1].CurvesList = {2, 3, 11, 12, 13, 14};
Field[1].NumPointsPerCurve = 200;
Field[2] = Threshold;
Field[2].InField = 1;
Field[2].SizeMin = size;
Field[2].SizeMax = h_far;
Field[2].DistMin = 0;
Field[2].DistMax = air_radius / 2;
Background Field = 2;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
