// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/geometry/dxf_drawing.hpp"
#include "target.hpp"

#include <array>
#include <cmath>

namespace tessera::fuzz {

namespace {

const std::vector<std::string>& drawing_words() {
  static const std::vector<std::string> words{"0\nLINE\n",
                                              "0\nARC\n",
                                              "0\nCIRCLE\n",
                                              "0\nELLIPSE\n",
                                              "0\nLWPOLYLINE\n",
                                              "0\nPOLYLINE\n",
                                              "0\nVERTEX\n",
                                              "0\nSEQEND\n",
                                              "0\nINSERT\n",
                                              "0\nATTRIB\n",
                                              "0\nMTEXT\n",
                                              "0\nSECTION\n",
                                              "2\nENTITIES\n",
                                              "2\nBLOCKS\n",
                                              "0\nENDSEC\n",
                                              "0\nEOF\n",
                                              "0\nSPLINE\n",
                                              "0\nBLOCK\n",
                                              "0\nENDBLK\n",
                                              "2\ncoil\n",
                                              "41\n-2\n",
                                              "44\n1\n",
                                              "71\n3\n",
                                              "8\n0\n",
                                              "10\n1.5\n",
                                              "20\n-3\n",
                                              "11\n0\n",
                                              "21\n0\n",
                                              "40\n0\n",
                                              "40\n1e308\n",
                                              "42\n1\n",
                                              "42\n-1e300\n",
                                              "50\n720\n",
                                              "51\n-1e9\n",
                                              "70\n1\n",
                                              "70\n64\n",
                                              "210\n1\n",
                                              "230\n-1\n",
                                              "67\n1\n",
                                              "999\n",
                                              "1\n{\\fA;x}\n",
                                              "1\n\\",
                                              "9\n$INSUNITS\n",
                                              "70\n4\n",
                                              "\r\n",
                                              "nan",
                                              "inf",
                                              "-",
                                              "1e400",
                                              "\xff",
                                              "\n\n"};
  return words;
}

class DrawingTarget : public Target {
public:
  DrawingTarget() {
    for (const char* folder : {"inputs", "tests/fuzz/corpus"})
      for (const std::string& file : seed_files(folder, ".dxf"))
        seeds_.push_back(read_file(file));
  }
  std::string make(Random& random) const override { return mutate_text(random.pick(seeds_), drawing_words(), random); }

  /// An accepted drawing is finite, has an extent, and lies in its bounding box.
  Outcome take(const std::string& input, const std::string& folder) const override {
    const io::DxfDrawing drawing = io::read_dxf_text(input, folder + "/a.dxf");
    if (drawing.curves.empty())
      return Outcome::refuted("a drawing without curves was taken");
    for (const io::DxfCurve& curve : drawing.curves) {
      using Kind = io::DxfCurve::Kind;
      if (curve.kind == Kind::ellipse && !(curve.sweep > 0. && curve.sweep < 6.2832 && std::isfinite(curve.start)))
        return Outcome::refuted("an arc has no angle");
      const auto order = static_cast<std::size_t>(curve.degree) + 1;
      if (curve.kind == Kind::spline &&
          (curve.poles.size() < order || curve.knots.size() != curve.poles.size() + order ||
           curve.weights.size() != curve.poles.size() || !(curve.knots.front() < curve.knots.back())))
        return Outcome::refuted("a spline lacks knots, weights or control points");
      std::vector<std::array<double, 2>> points = curve.poles;
      for (int k = 0; k <= 8; ++k) {
        const double s = k / 8., t = curve.start + s * curve.sweep;
        const double u = std::cos(t), v = curve.ratio * std::sin(t);
        if (curve.kind == Kind::line)
          points.push_back({(1. - s) * curve.from[0] + s * curve.to[0], (1. - s) * curve.from[1] + s * curve.to[1]});
        else if (curve.kind == Kind::ellipse)
          points.push_back({curve.center[0] + u * curve.axis[0] - v * curve.axis[1],
                            curve.center[1] + u * curve.axis[1] + v * curve.axis[0]});
      }
      for (const std::array<double, 2>& point : points)
        for (std::size_t d = 0; d < 2; ++d) {
          const double margin = 1e-12 * (std::fabs(drawing.upper[d]) + std::fabs(drawing.lower[d]));
          if (!(point[d] >= drawing.lower[d] - margin && point[d] <= drawing.upper[d] + margin))
            return Outcome::refuted("a curve leaves the box of the drawing");
        }
    }
    for (const io::DxfLabel& label : drawing.labels)
      if (label.name.empty() || !std::isfinite(label.at[0]) || !std::isfinite(label.at[1]))
        return Outcome::refuted("a label has no name or place");
    return {};
  }

private:
  std::vector<std::string> seeds_;
};

} // namespace

std::unique_ptr<Target> make_drawing_target() { return std::make_unique<DrawingTarget>(); }

} // namespace tessera::fuzz
