// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A disc above a round plate in air: half of the section, the axis at x = 0. Millimetres.
SetFactory("OpenCASCADE");
DefineConstant[
  gap = {0.05, Name "Parameters/Gap between disc and plate"},
  size = {4, Name "Parameters/Largest size of elements"}
];

Rectangle(1) = {0, -40, 0, 50, 80};
Rectangle(2) = {0, -5, 0, 15, 5};
Rectangle(3) = {0, gap, 0, 5, 4};
BooleanFragments{ Surface{1}; Delete; }{ Surface{2, 3}; Delete; }

Physical Surface("plate") = {2};
Physical Surface("magnet") = {3};
air() = Surface{:};
air() -= {2, 3};
Physical Surface("air") = {air()};
far() = Curve In BoundingBox{49.9, -41, -1, 51, 41, 1};
Physical Curve("far") = {far()};
Mesh.MeshSizeMax = size;
