// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inside of a hollow ball, in metres.
SetFactory("OpenCASCADE");
DefineConstant[
  radius = {20e-3, Name "Parameters/Inner radius"},
  size = {1.5e-3, Name "Parameters/Size of the elements"}
];

Sphere(1) = {0, 0, 0, radius};
MeshSize {:} = size;
Physical Volume("air") = {1};
Physical Surface("shell") = Boundary {Volume{1};};
