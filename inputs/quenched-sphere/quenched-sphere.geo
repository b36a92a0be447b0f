// A quarter of the cross-section of a sphere: x is the radius, y the axis.
R = 0.05;
h = 0.004;
Point(1) = {0, 0, 0, h};
Point(2) = {R, 0, 0, h};
Point(3) = {0, R, 0, h};
Line(1) = {1, 2};
Circle(2) = {2, 1, 3};
Line(3) = {3, 1};
Curve Loop(1) = {1, 2, 3};
Plane Surface(1) = {1};
Physical Surface("steel") = {1};
Physical Curve("surface") = {2};
