// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of two parallel plates in air, in metres. The plates are holes: their surfaces are the boundary groups "high"
// (upper plate) and "low". The mesh is refined at the plates' edges, where the field is singular.
inch = 0.0254;
DefineConstant[
  length = {2 * inch, Name "Parameters/Length of the plates"},
  thickness = {inch / 64, Name "Parameters/Thickness of the plates"},
  gap = {inch / 32, Name "Parameters/Gap between the plates"},
  margin = {2 * inch, Name "Parameters/Air around the plates"},
  cells_in_gap = {4, Name "Parameters/Elements across the gap"},
  edge_refinement = {8, Name "Parameters/Refinement at the edges"}
];

h_gap = gap / cells_in_gap;
h_edge = h_gap / edge_refinement;
h_far = margin / 8;

// One plate: its surface as a curve loop, counterclockwise from the lower left corner.
Macro Plate
  corner[] = {};
  For k In {0:3}
    p = newp;
    Point(p) = {(k == 0 || k == 3 ? -1 : 1) * length / 2, bottom + (k > 1 ? thickness : 0), 0};
    corner[] += p;
  EndFor
  side[] = {};
  For k In {0:3}
    c = newc;
    Line(c) = {corner[k], corner[(k + 1) % 4]};
    side[] += c;
  EndFor
  corners[] += corner[];
Return

corners[] = {};
bottom = gap / 2;
Call Plate;
high[] = side[];
bottom = -gap / 2 - thickness;
Call Plate;
low[] = side[];

w = length / 2 + margin;
h = gap / 2 + thickness + margin;
p = newp;
Point(p) = {-w, -h, 0};
Point(p + 1) = {w, -h, 0};
Point(p + 2) = {w, h, 0};
Point(p + 3) = {-w, h, 0};
c = newc;
Line(c) = {p, p + 1};
Line(c + 1) = {p + 1, p + 2};
Line(c + 2) = {p + 2, p + 3};
Line(c + 3) = {p + 3, p};

Curve Loop(1001) = {c, c + 1, c + 2, c + 3};
Curve Loop(1002) = {high[]};
Curve Loop(1003) = {low[]};
Plane Surface(1) = {1001, 1002, 1003};

Physical Surface("air") = {1};
Physical Curve("high") = {high[]};
Physical Curve("low") = {low[]};
Physical Curve("outer") = {c, c + 1, c + 2, c + 3};

// Element size: h_edge at the plates' corners, h_gap at their faces, h_far at the outer boundary.
Field[1] = Distance;
Field[1].PointsList = {corners[]};
Field[2] = Threshold;
Field[2].InField = 1;
Field[2].SizeMin = h_edge;
Field[2].SizeMax = h_far;
Field[2].DistMin = 0;
Field[2].DistMax = (h_far - h_edge) * 6;
Field[3] = Distance;
Field[3].CurvesList = {high[], low[]};
Field[3].NumPointsPerCurve = 400;
Field[4] = Threshold;
Field[4].InField = 3;
Field[4].SizeMin = h_gap;
Field[4].SizeMax = h_far;
Field[4].DistMin = gap / 2;
Field[4].DistMax = margin;
Field[5] = Min;
Field[5].FieldsList = {2, 4};
Background Field = 5;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
