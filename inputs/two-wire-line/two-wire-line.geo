// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of two parallel wires in open space, in metres. All that lies outside of the circle about them is the second disk, by
// inversion: a point at the distance r > R from the middle is that at R^2/r of the disk, at the same angle. Both circles are to be joined
// by a periodic condition. The line of symmetry is a group, too, as far as it lies in the second disk.
DefineConstant[
  wire_radius = {1e-3, Name "Parameters/Radius of the wires"},
  distance = {20e-3, Name "Parameters/Distance of their axes"},
  radius = {30e-3, Name "Parameters/Radius of the circle about them"},
  size = {0.3e-3, Name "Parameters/Size of elements at the wires"},
  n_around = {96, Name "Parameters/Elements around the circle, a multiple of 4"}
];

h = 2 * Pi * radius / n_around;
For disk In {0:1}
  first = 10 + 10 * disk;
  Point(first + 4) = {disk * 3 * radius, 0, 0};
  For k In {0:3}
    Point(first + k) = {disk * 3 * radius + radius * Cos(k * Pi / 2), radius * Sin(k * Pi / 2), 0, h};
  EndFor
  For k In {0:3}
    Circle(first + k) = {first + k, first + 4, first + (k + 1) % 4};
  EndFor
EndFor
Curve Loop(1) = {10:13};
Transfinite Curve {10:13, 20:23} = n_around / 4 + 1;
For i In {0:1}
  first = 30 + 10 * i;
  x = (0.5 - i) * distance;
  Point(first + 4) = {x, 0, 0, size};
  For k In {0:3}
    Point(first + k) = {x + wire_radius * Cos(k * Pi / 2), wire_radius * Sin(k * Pi / 2), 0, size};
  EndFor
  For k In {0:3}
    Circle(first + k) = {first + k, first + 4, first + (k + 1) % 4};
  EndFor
  Curve Loop(3 + i) = {first:first + 3};
  Plane Surface(3 + i) = {3 + i};
EndFor
Plane Surface(1) = {1, 3, 4};
Line(25) = {21, 23};
Curve Loop(5) = {20, 25, 23};
Curve Loop(6) = {21, 22, -25};
Plane Surface(2) = {5};
Plane Surface(5) = {6};

Physical Surface("near") = {1};
Physical Surface("far") = {2, 5};
Physical Surface("right") = {3};
Physical Surface("left") = {4};
Physical Curve("circle") = {10:13};
Physical Curve("circle_of_far") = {20:23};
Physical Curve("middle") = {25};
