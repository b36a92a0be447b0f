// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A hole whose circle is four chords, with small triangles between a chord and its arc, which the arc turns inside out.
SetFactory("OpenCASCADE");
Disk(1) = {0, 0, 0, 2};
Disk(2) = {0, 0, 0, 1};
BooleanDifference(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; };
sides() = Boundary{ Surface{3}; };
Transfinite Curve { sides() } = 5;
Field[1] = Box;
Field[1].VIn = 0.05;
Field[1].VOut = 1;
Field[1].XMin = 0.55;
Field[1].XMax = 0.65;
Field[1].YMin = 0.55;
Field[1].YMax = 0.65;
Background Field = 1;
Physical Surface("domain") = {3};
Physical Curve("left") = { sides(0) };
Physical Curve("right") = { sides(1) };
