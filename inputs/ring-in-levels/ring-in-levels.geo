// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A ring, in metres.
SetFactory("OpenCASCADE");
Disk(1) = {0, 0, 0, 0.1};
Disk(2) = {0, 0, 0, 0.05};
BooleanDifference(3) = {Surface{1}; Delete;}{Surface{2}; Delete;};
MeshSize{:} = 1.2e-3;
Mesh.MeshSizeExtendFromBoundary = 1;

inner() = Curve In BoundingBox {-0.051, -0.051, -1, 0.051, 0.051, 1};
all() = Boundary{Surface{3};};
Physical Surface("copper") = {3};
Physical Curve("inner") = inner();
Physical Curve("outer") = {Abs(all(0)), Abs(all(1))};
Physical Curve("outer") -= inner();
