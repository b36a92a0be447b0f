// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// TEAM 28: an aluminium disc above two coils with opposite currents, half of the cross-section, in metres. The tops of the coils are at
// y = 0.
SetFactory("OpenCASCADE");
DefineConstant[
  gap = {0.0108, Name "Parameters/Gap between coils and disc"},
  size = {0.0015, Name "Parameters/Size of elements in the disc"},
  far = {0.3, Name "Parameters/Radius of the air"}
];

Disk(1) = {0, -0.02, 0, far};
Rectangle(2) = {-far, -far - 0.02, 0, far, 2 * far};
air() = BooleanDifference{ Surface{1}; Delete; }{ Surface{2}; Delete; };
Rectangle(3) = {0.027, -0.052, 0, 0.028, 0.052}; // 960 turns
Rectangle(4) = {0.080, -0.052, 0, 0.015, 0.052}; // 576 turns
Rectangle(5) = {0, gap, 0, 0.065, 0.003};
all() = BooleanFragments{ Surface{air()}; Delete; }{ Surface{3, 4, 5}; Delete; };

Physical Surface("inner") = {3};
Physical Surface("outer") = {4};
Physical Surface("disc") = {5};
rest() = Surface{:};
rest() -= {3, 4, 5};
Physical Surface("air") = {rest()};
outside() = Abs(Boundary{ Surface{rest()}; });
arcs() = {};
For k In {0:#outside()-1}
  box() = BoundingBox Curve{outside(k)};
  If(box(3) > 0.9 * far) // not on the axis
    arcs() += {outside(k)};
  EndIf
EndFor
Physical Curve("far") = {arcs()};
MeshSize{:} = far / 12;
MeshSize{ PointsOf{ Surface{3, 4}; } } = 2 * size;
MeshSize{ PointsOf{ Surface{5}; } } = size;
