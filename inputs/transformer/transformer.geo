// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-section of a single-phase transformer in metres: three-limbed core, both windings around the middle limb, the low-voltage one
// inside, in a tank filled with oil. The EBE paper analyses a unit of 241 MVA and 500 kV without giving its dimensions; these are ours,
// chosen for that class:
//   rated flux     the limb is 1.10 m wide; with a depth of 0.95 m (the case file) 1.65 T is 1.72 Wb, 383 V per turn at 50 Hz
//   high voltage   500 kV / sqrt(3) = 288.7 kV: 754 turns; 241 MVA / 288.7 kV = 835 A
//   low voltage    20 kV: 52 turns; 12.05 kA
//   currents       835 A * 754 = 629.5 kA per side: 3.1 A/mm^2 in 0.10 m x 2.0 m, 1.7 A/mm^2 in 0.18 m x 2.0 m (insulation included)
//   distances      0.06 m limb to low voltage, 0.10 m between the windings, 0.26 m high voltage to return limb, 0.30 m to the yokes
DefineConstant[
  limb = {1.10, Name "Parameters/Width of the middle limb"},
  window_width = {0.70, Name "Parameters/Width of a window"},
  window_height = {2.60, Name "Parameters/Height of a window"},
  winding_height = {2.00, Name "Parameters/Height of the windings"},
  low_gap = {0.06, Name "Parameters/Limb to low-voltage winding"},
  low_width = {0.10, Name "Parameters/Width of the low-voltage winding"},
  main_gap = {0.10, Name "Parameters/Between the windings"},
  high_width = {0.18, Name "Parameters/Width of the high-voltage winding"},
  margin = {0.70, Name "Parameters/Core to tank"},
  size = {0.05, Name "Parameters/Element size in windows and windings"}
];

yoke = limb / 2; // the return limbs and the yokes carry half of the flux each
x1 = limb / 2;
x2 = x1 + window_width;
x3 = x2 + yoke;
y1 = window_height / 2;
y2 = y1 + yoke;

// A rectangle as a curve loop, counterclockwise from the lower left corner.
Macro Frame
  p = newp;
  Point(p) = {left, bottom, 0};
  Point(p + 1) = {right, bottom, 0};
  Point(p + 2) = {right, top, 0};
  Point(p + 3) = {left, top, 0};
  c = newc;
  For k In {0:3}
    Line(c + k) = {p + k, p + (k + 1) % 4};
  EndFor
  side[] = {c, c + 1, c + 2, c + 3};
  loop = newll;
  Curve Loop(loop) = {side[]};
Return

// A winding's two sides, left one first.
Macro Winding
  bottom = -winding_height / 2;
  top = winding_height / 2;
  left = -inner - width;
  right = -inner;
  Call Frame;
  left_loop = loop;
  surface = news;
  Plane Surface(surface) = {loop};
  left_side = surface;
  fine[] += side[];
  left = inner;
  right = inner + width;
  Call Frame;
  right_loop = loop;
  surface = news;
  Plane Surface(surface) = {loop};
  right_side = surface;
  fine[] += side[];
Return

fine[] = {};
inner = x1 + low_gap;
width = low_width;
Call Winding;
low_left = left_side;
low_right = right_side;
low_loop[] = {left_loop, right_loop};
inner = inner + low_width + main_gap;
width = high_width;
Call Winding;
high_left = left_side;
high_right = right_side;
high_loop[] = {left_loop, right_loop};

left = -x2;
right = -x1;
bottom = -y1;
top = y1;
Call Frame;
left_window = loop;
fine[] += side[];
left = x1;
right = x2;
Call Frame;
right_window = loop;
fine[] += side[];

left = -x3;
right = x3;
bottom = -y2;
top = y2;
Call Frame;
core_loop = loop;

left = -x3 - margin;
right = x3 + margin;
bottom = -y2 - margin;
top = y2 + margin;
Call Frame;
tank_loop = loop;
tank[] = side[];

core = news;
Plane Surface(core) = {core_loop, left_window, right_window};
left_oil = news;
Plane Surface(left_oil) = {left_window, low_loop[0], high_loop[0]};
right_oil = news;
Plane Surface(right_oil) = {right_window, low_loop[1], high_loop[1]};
outer_oil = news;
Plane Surface(outer_oil) = {tank_loop, core_loop};

Physical Surface("core") = {core};
Physical Surface("low_left") = {low_left};
Physical Surface("low_right") = {low_right};
Physical Surface("high_left") = {high_left};
Physical Surface("high_right") = {high_right};
Physical Surface("oil") = {left_oil, right_oil, outer_oil};
Physical Curve("tank") = {tank[]};

// Element size: `size` at the windings and windows, three times as much far from them.
Field[1] = Distance;
Field[1].CurvesList = {fine[]};
Field[1].NumPointsPerCurve = 200;
Field[2] = Threshold;
Field[2].InField = 1;
Field[2].SizeMin = size;
Field[2].SizeMax = 3 * size;
Field[2].DistMin = 0.1;
Field[2].DistMax = 1.2;
Background Field = 2;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
