// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The unit square with a sine wave for its lower side, in metres. Small triangles resolve the wave.
DefineConstant[
  n_waves = {16, Name "Parameters/Waves along the lower side"},
  amplitude = {0.02, Name "Parameters/Amplitude of the wave"},
  n_segments = {16, Name "Parameters/Segments per wave"}
];
n = n_waves * n_segments;
For k In {0:n}
  Point(1 + k) = {k / n, amplitude * Sin(2 * Pi * n_waves * k / n), 0, 1 / n};
EndFor
Point(n + 2) = {1, 1, 0, 0.05};
Point(n + 3) = {0, 1, 0, 0.05};
For k In {1:n + 2}
  Line(k) = {k, k + 1};
EndFor
Line(n + 3) = {n + 3, 1};
Curve Loop(1) = {1:n + 3};
Plane Surface(1) = {1};
Physical Surface("domain") = {1};
Physical Curve("wave") = {1:n};
Physical Curve("right") = {n + 1};
Physical Curve("top") = {n + 2};
Physical Curve("left") = {n + 3};
