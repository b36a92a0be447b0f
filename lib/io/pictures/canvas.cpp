// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/canvas.hpp"

#include "core/error.hpp"
#include "core/module.hpp"
#include "io/build_settings.hpp"

namespace tessera::io::pictures {

#ifdef TESSERA_CAIRO_VERSION

const char* cairo_version() { return TESSERA_CAIRO_VERSION; }

void require_cairo(const std::string&) {}

std::unique_ptr<Canvas> make_canvas(const CanvasRequest& request) {
  static void* const module = load_module("Cairo", "tessera-cairo.so", "TESSERA_CAIRO");
  const auto make = module_function<MakeCanvas>(module, make_canvas_name);
  std::unique_ptr<Canvas> canvas(make == nullptr ? nullptr : make(&request));
  TESSERA_REQUIRE_KIND(canvas != nullptr, ErrorKind::resource, "Cairo could not begin a picture.");
  return canvas;
}

#else

const char* cairo_version() { return ""; }

void require_cairo(const std::string& what) {
  TESSERA_REQUIRE(false, what << ": this build has no Cairo, which draws the pictures (tessera info).");
}

std::unique_ptr<Canvas> make_canvas(const CanvasRequest&) {
  ::tessera::detail::throw_error(ErrorKind::input, "This build has no Cairo.");
}

#endif

} // namespace tessera::io::pictures
