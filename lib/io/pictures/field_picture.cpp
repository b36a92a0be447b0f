// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/field_picture.hpp"

#include "core/constants.hpp"
#include "core/error.hpp"
#include "io/input/case.hpp"
#include "io/output/console.hpp"
#include "io/pictures/body_view.hpp"
#include "io/pictures/colour_range.hpp"
#include "io/pictures/colours.hpp"
#include "io/pictures/raster.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace tessera::io::pictures {

namespace {

/// The items to draw, in 2D or 3D.
struct Scene {
  PlaneMesh mesh; ///< of a 3D grid: the section
  std::vector<Triangle> neighbours;
  CornerValues values;
  CornerValues line_values;            ///< empty: no lines
  std::vector<double> space_values;    ///< of the whole grid, for 3D views
  bool has_categories = false;         ///< the values are 0, 1, ...: regions, or colours
  std::vector<std::string> categories; ///< their names in the legend
};

struct Extent {
  double left = 0., bottom = 0., width = 0., height = 0.;
};

Extent extent_of(const PlaneMesh& mesh) {
  Extent e{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), 0., 0.};
  double right = -e.left, top = -e.bottom;
  for (const Triangle& triangle : mesh.triangles)
    for (const std::int32_t number : triangle) {
      const Place& p = mesh.points[static_cast<std::size_t>(number)];
      e.left = std::min(e.left, p.x);
      right = std::max(right, p.x);
      e.bottom = std::min(e.bottom, p.y);
      top = std::max(top, p.y);
    }
  e.width = right - e.left;
  e.height = top - e.bottom;
  return e;
}

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// "" also for the picture of the mesh.
std::string unit_of_field(const ResultFile& file, const std::string& field) {
  const StoredField* stored = file.find(field);
  return stored != nullptr ? stored->unit : "";
}

/// Smallest and largest value; the first exceeds the second if there are no values.
std::array<double, 2> extremes_of(const CornerValues& values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const std::array<double, 3>& corners : values)
    for (const double value : corners) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  return {low, high};
}

/// The first of the usual sections on which the solution varies about as much as on any. If it varies on none, as
/// between plates, one across another side of the bounding box.
Section default_section(const RunResults& results, const ResultFile& file) {
  std::vector<Section> sections = usual_sections(file.grid());
  const StoredField* solution = file.find(results.physics->solution.name);
  if (solution == nullptr)
    return sections.front();
  const std::vector<double> values = file.values(*solution, std::nullopt, 0.);
  std::vector<double> spans;
  const auto add_spans = [&] {
    while (spans.size() < sections.size()) {
      const auto [low, high] = extremes_of(section_values(file.grid(), sections[spans.size()], values));
      spans.push_back(high - low);
    }
  };
  add_spans();
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  if (*std::max_element(spans.begin(), spans.end()) < 1e-3 * (*largest - *smallest)) {
    for (const Section& section : middle_sections(file.grid()))
      if (section.axis != sections.front().axis)
        sections.push_back(section);
    add_spans();
  }
  const double enough = 0.9 * *std::max_element(spans.begin(), spans.end());
  std::size_t i = 0;
  while (i + 1 < spans.size() && !(spans[i] >= enough))
    ++i;
  return sections[i];
}

Scene make_scene(const RunResults& results, const ResultFile& file, const FieldPicture& wanted,
                 const std::string& field, const Section& section) {
  const SimplexGrid& grid = file.grid();
  const bool is_plane = grid.dimension == 2;
  Scene scene;
  scene.mesh = is_plane ? plane_mesh(grid) : section_mesh(grid, section);
  TESSERA_REQUIRE(!scene.mesh.triangles.empty(), "The section "
                                                     << "xyz"[section.axis] << " = " << section.position
                                                     << " does not meet the mesh.");
  scene.neighbours = neighbours_of(scene.mesh.triangles);
  const auto in_plane = [&](const std::vector<double>& values) {
    return is_plane ? plane_values(values) : section_values(grid, section, values);
  };
  if (field == mesh_picture) {
    scene.has_categories = true;
    if (!grid.regions.empty())
      scene.categories = results.regions;
    for (const std::uint16_t region : scene.mesh.regions)
      scene.values.push_back({static_cast<double>(region), static_cast<double>(region), static_cast<double>(region)});
    if (wanted.is_cut_open)
      for (std::size_t i = 0; i < grid.corners.size(); ++i)
        scene.space_values.push_back(grid.region(i / grid.n_corners()));
    return scene;
  }
  const StoredField* stored = file.find(field);
  std::vector<std::string> names{mesh_picture};
  for (const StoredField& other : file.fields())
    names.push_back(other.name);
  names.insert(names.end(), wanted.other_pictures.begin(), wanted.other_pictures.end());
  TESSERA_REQUIRE(stored != nullptr, unknown_name_message("field", field, names));
  TESSERA_REQUIRE(!wanted.component || stored->components == 3,
                  "The field " << field << " has no components: it is a scalar.");
  TESSERA_REQUIRE(!wanted.phase || stored->is_phasor,
                  "The field " << field << " has no phase: it is not that of a frequency, or one of its parts.");
  scene.space_values = file.values(*stored, wanted.component, wanted.phase);
  scene.values = in_plane(scene.space_values);
  if (field == name_of(Field::colour, results.physics->physics)) {
    constexpr double most = 65535.;
    scene.has_categories = true;
    double last = 0.;
    for (const double value : scene.space_values) {
      TESSERA_REQUIRE(value >= 0. && value <= most && value == std::floor(value),
                      "The field " << field << " has a value that is no number of a colour: " << value << '.');
      last = std::max(last, value);
    }
    for (int i = 0; i <= static_cast<int>(last); ++i)
      scene.categories.push_back("colour " + std::to_string(i));
    return scene;
  }
  const StoredField* solution = file.find(results.physics->solution.name);
  if (wanted.n_lines > 0 && solution != nullptr) {
    scene.line_values = in_plane(file.values(*solution, std::nullopt, wanted.phase.value_or(0.)));
    if (results.is_axisymmetric && has_vector_potential(results.physics->physics))
      for (std::size_t t = 0; t < scene.line_values.size(); ++t) // flux through the circle is 2 pi r A
        for (std::size_t k = 0; k < 3; ++k)
          scene.line_values[t][k] *=
              2. * pi * scene.mesh.points[static_cast<std::size_t>(scene.mesh.triangles[t][k])].x;
  }
  return scene;
}

/// Levels between the extremes of the contoured field. A level close to an extreme would follow the boundary that has
/// this value, entering and leaving it where values deviate by the discretisation error (dg).
std::vector<double> levels_of(const std::array<double, 2>& extremes, int n, double& step) {
  constexpr double least = 0.1; // minimum distance from an extreme, in steps
  const auto [low, high] = extremes;
  step = round_step(high - low, n);
  std::vector<double> levels;
  if (is_constant(low, high))
    return levels;
  for (const double level : round_values(low, high, n))
    if (level > low + least * step && level < high - least * step)
      levels.push_back(level);
  return levels;
}

std::string caption_of(const RunResults& results, const ResultFile& file, const std::string& field,
                       const FieldPicture& wanted, const Section& section, const UnitScale& metres,
                       const ColourRange& range, double line_step) {
  const PhysicsTraits& physics = *results.physics;
  const auto amount = [](double value, const std::string& unit) {
    const UnitScale scale = unit_scale(unit, std::abs(value));
    if (scale.unit.compare(0, 2, "10") == 0) // the number has its own power of ten
      return number_with_digits(value, 4) + (unit.empty() ? "" : " " + unit_scale(unit, 1.).unit);
    return number_with_digits(value * scale.factor, 4) + (scale.unit.empty() ? "" : " " + scale.unit);
  };
  std::string text;
  if (field == mesh_picture) {
    text = format_count(std::atoll(text_at(results.report, {"mesh", "elements"}).c_str())) + " elements";
  } else {
    text = spaced(field);
    if (wanted.component)
      text += std::string(", component ") + (results.is_axisymmetric ? "rz\u03c6" : "xyz")[*wanted.component];
    if (const StoredField* stored = file.find(field); stored != nullptr && stored->is_phasor)
      text += wanted.phase ? ", at " + number_with_digits(*wanted.phase, 4) + " degrees" : ", magnitude";
    if (range.is_logarithmic)
      text += ", logarithmic";
    if (range.exceeds)
      text += ", at most " + amount(range.largest, unit_of_field(file, field));
  }
  if (file.grid().dimension == 3)
    text += std::string(wanted.is_cut_open ? "; cut at " : "; section ") + "xyz"[section.axis] + " = " +
            (section.position == 0. ? std::string("0")
                                    : number_with_digits(section.position * metres.factor, 4) + " " + metres.unit);
  if (line_step > 0.) {
    const bool is_flux = has_vector_potential(physics.physics);
    const StoredField* solution = file.find(physics.solution.name);
    const bool has_phase = solution != nullptr && solution->is_phasor && !wanted.phase;
    text += std::string("; ") + (is_flux ? "flux lines" : "lines") + (has_phase ? " at 0 degrees" : "") + " every " +
            amount(line_step, is_flux && results.is_axisymmetric ? "Wb" : physics.solution.unit);
  }
  if (file.time())
    text += "; t = " + amount(*file.time(), "s");
  return text;
}

std::function<std::uint32_t(double)> colours_of(const Scene& scene, const ColourRange& range) {
  constexpr int n = 1024;
  std::vector<std::uint32_t> table;
  if (scene.has_categories) {
    double last = 0.;
    for (const std::array<double, 3>& value : scene.values)
      last = std::max(last, value[0]);
    for (const double value : scene.space_values)
      last = std::max(last, value);
    for (int i = 0; i <= static_cast<int>(last); ++i)
      table.push_back(pixel_of(region_colour(static_cast<std::size_t>(i))));
    return [table](double value) { return table[static_cast<std::size_t>(std::lround(value))]; };
  }
  for (int i = 0; i < n; ++i)
    table.push_back(pixel_of(field_colour((i + 0.5) / n)));
  return [table, range](double value) {
    const double t = range.share_of(value) * n;
    return table[static_cast<std::size_t>(std::clamp(t, 0., n - 1.))];
  };
}

/// Mean length of an edge, in units of the drawing.
double mean_edge(const Scene& scene, double per_metre) {
  double area = 0.;
  for (const Triangle& triangle : scene.mesh.triangles)
    area += area_of(scene.mesh, triangle);
  return std::sqrt(2.3 * area / static_cast<double>(scene.mesh.triangles.size())) * per_metre;
}

/// Draws the arrows of x, y and z next to a 3D view.
void draw_axes_in_space(Canvas& canvas, const BodyView& view, const Place& at) {
  constexpr double length = 34.;
  const auto axes = view.axes();
  for (std::size_t d = 0; d < 3; ++d) {
    const Place end{at.x + length * axes[d].x, at.y - length * axes[d].y};
    canvas.lines({{{at, end}}}, {ink, 1.5});
    canvas.text({end.x + 9. * axes[d].x, end.y - 9. * axes[d].y + 4.5}, std::string(1, "xyz"[d]),
                {small_text_size, ink, false, false, 0.5});
  }
}

constexpr double smallest_height = 150.; // of a plot with its legend

/// Where the mesh's plane lies in the picture.
struct Paper {
  Extent extent; ///< m
  Box plot;
  double per_metre = 1.;
};

/// The window, or all of a mesh with this extent.
Extent window_of(const FieldPicture& wanted, const Extent& extent) {
  if (!wanted.window)
    return extent;
  const auto& [x0, y0, x1, y1] = *wanted.window;
  TESSERA_REQUIRE(!wanted.is_cut_open, "A 3D view has no window; the section has one.");
  TESSERA_REQUIRE(x0 < extent.left + extent.width && x1 > extent.left && y0 < extent.bottom + extent.height &&
                      y1 > extent.bottom,
                  "The window lies outside of the mesh, which extends from ("
                      << extent.left << ", " << extent.bottom << ") to (" << extent.left + extent.width << ", "
                      << extent.bottom + extent.height << ").");
  return {x0, y0, x1 - x0, y1 - y0};
}

/// The plot is as wide as the picture allows, but not much higher than wide.
Paper paper_of(const Extent& extent, bool has_legend) {
  constexpr double left = 76., largest_height = 0.95 * picture_width;
  const double room = picture_width - left - (has_legend ? 165. : 118.);
  const double per_metre = std::min(room / extent.width, largest_height / extent.height);
  // for flat plots
  const double top = title_height + 0.5 * std::max(0., smallest_height - extent.height * per_metre);
  // for narrow plots
  const double indent = 0.5 * (room - extent.width * per_metre);
  return {extent, {left + indent, top, extent.width * per_metre, extent.height * per_metre}, per_metre};
}

std::vector<Polyline> on_paper(std::vector<Polyline> lines, const Paper& paper) {
  constexpr double tolerance = 0.12;
  for (Polyline& line : lines) {
    for (Place& place : line.places)
      place = {paper.plot.x + (place.x - paper.extent.left) * paper.per_metre,
               paper.plot.bottom() - (place.y - paper.extent.bottom) * paper.per_metre};
    line = simplified(line, tolerance);
  }
  return lines;
}

/// Colours the triangles of a plane mesh, with the edges of elements if requested.
void draw_triangles(const Scene& scene, const Paper& paper, double pixels, bool draws_edges, Raster& raster) {
  const auto corner = [&](std::size_t t, std::size_t k) {
    const Place& p = scene.mesh.points[static_cast<std::size_t>(scene.mesh.triangles[t][k])];
    return Raster::Corner{(p.x - paper.extent.left) * paper.per_metre * pixels,
                          (paper.extent.height - (p.y - paper.extent.bottom)) * paper.per_metre * pixels,
                          scene.values[t][k], 0., 0.};
  };
  for (std::size_t t = 0; t < scene.mesh.triangles.size(); ++t)
    raster.triangle({corner(t, 0), corner(t, 1), corner(t, 2)});
  for (std::size_t t = 0; t < scene.mesh.triangles.size() && draws_edges; ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t other = scene.neighbours[t][k];
      if (other >= 0 && scene.mesh.elements[static_cast<std::size_t>(other)] != scene.mesh.elements[t])
        raster.line(corner(t, k), corner(t, (k + 1) % 3));
    }
}

/// Draws lines at the levels of the contoured field, and the outlines of regions.
void draw_contours(Canvas& canvas, const Scene& scene, const Paper& paper, const std::vector<double>& levels,
                   const std::array<double, 2>& extremes) {
  // Where there is no field, values that a solver knows to about 1e-10 of the largest cross levels at random.
  const double noise = 1e-7 * (extremes[1] - extremes[0]);
  std::vector<Polyline> lines;
  for (const double level : levels)
    for (Polyline& line : contour_lines(scene.mesh, scene.neighbours, scene.line_values, level, noise))
      lines.push_back(std::move(line));
  // A dark line on top of a light one is visible on both light and dark colours.
  const std::vector<Polyline> contours = on_paper(std::move(lines), paper);
  const Box& plot = paper.plot;
  canvas.begin_clip({plot.x - 1., plot.y - 1., plot.width + 2., plot.height + 2.});
  canvas.lines(contours, {{1., 1., 1., 0.35}, 2.2});
  canvas.lines(contours, {{0.05, 0.05, 0.07, 0.85}, 0.9});
  canvas.lines(on_paper(outlines(scene.mesh, scene.neighbours), paper), {ink, 1.4});
  canvas.end_clip();
}

void draw_axes_of(Canvas& canvas, const Paper& paper, const UnitScale& metres,
                  const std::array<const char*, 2>& names) {
  const auto axis = [&](double low, double length, const std::string& name) {
    return Axis{low * metres.factor, (low + length) * metres.factor, name + " [" + metres.unit + "]"};
  };
  draw_axes(canvas, paper.plot, axis(paper.extent.left, paper.extent.width, names[0]),
            axis(paper.extent.bottom, paper.extent.height, names[1]), false);
}

/// Draws the legend of regions or colours, or the scale of the values.
void draw_colours(Canvas& canvas, const ResultFile& file, const std::string& field, const Scene& scene,
                  const ColourRange& range, const Box& plot) {
  const Box right_of_plot{plot.right() + 20., title_height, picture_width - plot.right() - 26.,
                          std::max(plot.height, smallest_height)};
  if (scene.has_categories) {
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < scene.categories.size(); ++i)
      entries.push_back({region_colour(i), scene.categories[i]});
    draw_legend(canvas, right_of_plot, entries);
    return;
  }
  const UnitScale scale = unit_scale(unit_of_field(file, field), std::max(std::abs(range.low), std::abs(range.high)));
  const double bar_height = std::clamp(plot.height, smallest_height, 420.);
  draw_colour_bar(canvas,
                  {right_of_plot.x, title_height + 0.5 * std::max(0., plot.height - bar_height), 18., bar_height},
                  {range.low * scale.factor, range.high * scale.factor,
                   spaced(field) + (scale.unit.empty() ? "" : " [" + scale.unit + "]"), range.is_logarithmic},
                  range.exceeds);
}

} // namespace

ResultFile open_fields(const RunResults& results) {
  const std::string path = results.file("fields.vtkhdf");
  ResultFile file(path);
  TESSERA_REQUIRE(file.run_id().empty() || file.run_id() == results.run_id,
                  path << " is from another run than the report.yaml next to it.");
  return file;
}

std::string main_field(const RunResults& results, const ResultFile& file) {
  const PhysicsTraits& physics = *results.physics;
  const char* first = has_vector_potential(physics.physics) ? physics.gradient.name : physics.solution.name;
  for (const char* name : {first, physics.solution.name})
    if (file.find(name) != nullptr)
      return name;
  return file.fields().empty() ? mesh_picture : file.fields().front().name;
}

std::string draw_field(const RunResults& results, const ResultFile& file, const FieldPicture& wanted,
                       const PictureSize& size) {
  const SimplexGrid& grid = file.grid();
  const bool is_space = grid.dimension == 3;
  TESSERA_REQUIRE(is_space || (!wanted.section && !wanted.is_cut_open),
                  "The mesh has two dimensions: there is no section of it.");
  const std::string field = wanted.field.empty() ? main_field(results, file) : wanted.field;
  const Section section = !is_space ? Section() : wanted.section ? *wanted.section : default_section(results, file);
  const Scene scene = make_scene(results, file, wanted, field, section);
  const StoredField* stored = file.find(field);
  ColourRange range;
  if (!scene.has_categories)
    range = colour_range(scene.mesh, scene.values, stored->components == 3 && !wanted.component,
                         {wanted.scale, wanted.range, wanted.window});
  double line_step = 0.;
  const std::array<double, 2> line_extremes = extremes_of(scene.line_values);
  std::vector<double> levels;
  if (!scene.line_values.empty() && !wanted.is_cut_open)
    levels = levels_of(line_extremes, wanted.n_lines, line_step);
  if (levels.empty())
    line_step = 0.;

  std::optional<BodyView> view;
  if (wanted.is_cut_open)
    view.emplace(grid, section);
  const Extent extent = window_of(wanted, view ? Extent{0., 0., view->width(), view->height()} : extent_of(scene.mesh));
  const Paper paper = paper_of(extent, scene.has_categories);
  const Box& plot = paper.plot;
  constexpr double below = 52.;
  const double height = title_height + std::max(plot.height, smallest_height) + below;
  const auto canvas = begin_picture(size, height);
  const UnitScale metres =
      unit_scale("m", std::max({std::abs(extent.left), std::abs(extent.left + extent.width), std::abs(extent.bottom),
                                std::abs(extent.bottom + extent.height)}));
  draw_title(*canvas, results.title, caption_of(results, file, field, wanted, section, metres, range, line_step));

  const double pixels = canvas->resolution();
  Raster raster(std::max(1, static_cast<int>(std::ceil(plot.width * pixels))),
                std::max(1, static_cast<int>(std::ceil(plot.height * pixels))));
  constexpr double least_edge = 3.; // units; shorter edges would form a grey area
  const bool draws_edges = (wanted.with_mesh || scene.has_categories) && mean_edge(scene, paper.per_metre) > least_edge;
  if (view)
    view->draw(raster, paper.per_metre * pixels, scene.space_values, scene.mesh, scene.values, draws_edges);
  else
    draw_triangles(scene, paper, pixels, draws_edges, raster);
  const Image image = raster.image(colours_of(scene, range));
  canvas->image(image, {plot.x, plot.y, image.width / pixels, image.height / pixels});
  if (view) {
    draw_axes_in_space(*canvas, *view, {46., height - 44.});
  } else {
    draw_contours(*canvas, scene, paper, levels, line_extremes);
    using Names = std::array<const char*, 2>;
    draw_axes_of(*canvas, paper, metres,
                 results.is_axisymmetric ? Names{"r", "z"}
                 : !is_space             ? Names{"x", "y"}
                 : section.axis == 0     ? Names{"y", "z"}
                 : section.axis == 1     ? Names{"x", "z"}
                                         : Names{"x", "y"});
  }
  draw_colours(*canvas, file, field, scene, range, plot);
  return end_picture(*canvas);
}

} // namespace tessera::io::pictures
