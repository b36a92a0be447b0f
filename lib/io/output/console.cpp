// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/console.hpp"

#include "core/error.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace tessera::io {

namespace {

constexpr std::size_t name_width = 24;

bool is_terminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && kind != nullptr && std::string(kind) != "dumb";
}

std::string formatted(const char* format, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), format, std::isnan(value) ? std::fabs(value) : value); // never "-nan"
  return buffer;
}

/// Number of visible characters, without the continuation bytes of UTF-8.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::size_t length = width_of(text);
  const std::string space(width > length ? width - length : 0, ' ');
  return left ? text + space : space + text;
}

} // namespace

std::string format_fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string format_seconds(double seconds) {
  if (seconds < 1e-3)
    return formatted("%.0f us", seconds * 1e6);
  if (seconds < 1.)
    return formatted("%.1f ms", seconds * 1e3);
  if (seconds < 120.)
    return formatted("%.2f s", seconds);
  return formatted("%.1f min", seconds / 60.);
}

std::string format_count(std::int64_t count) {
  std::string digits = std::to_string(count < 0 ? -count : count);
  for (int position = static_cast<int>(digits.size()) - 3; position > 0; position -= 3)
    digits.insert(static_cast<std::size_t>(position), " ");
  return (count < 0 ? "-" : "") + digits;
}

Console::Console(bool quiet) : Console(std::cout, quiet, is_terminal()) {}
Console::Console(std::ostream& out, bool quiet, bool live) : out_(out), quiet_(quiet), live_(live && !quiet) {}
Console::Console(ConsoleReceiver& receiver) : Console(std::cout, false, true) { receiver_ = &receiver; }
Console::~Console() { clear(); }

void Console::clear() {
  if (drawn_)
    out_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

void Console::draw(const std::string& text) {
  if (receiver_ != nullptr) {
    receiver_->progress(text);
  } else {
    out_ << "\r\x1b[K" << text << std::flush;
    drawn_ = true;
  }
  last_draw_ = std::chrono::steady_clock::now();
}

void Console::line(const std::string& text) {
  if (quiet_)
    return;
  if (receiver_ != nullptr) {
    receiver_->line(text);
    return;
  }
  clear();
  out_ << text << '\n' << std::flush;
}

void Console::item(const std::string& name, const std::string& value) {
  line("  " + padded(name, name_width, true) + " " + value);
}

void Console::warning(const std::string& text) { std::cerr << "tessera: warning: " << text << '\n'; }

PhaseListener Console::listener() {
  return [this](const std::string& name, bool finished, double) {
    if (!live_)
      return;
    if (finished) {
      clear();
      phase_.clear();
    } else {
      phase_ = name;
      phase_start_ = std::chrono::steady_clock::now();
      draw((receiver_ != nullptr ? "" : "  ") + name + " ...");
    }
  };
}

void Console::progress(const std::string& text) {
  if (!live_)
    return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_draw_ < std::chrono::milliseconds(100))
    return;
  const double seconds = std::chrono::duration<double>(now - phase_start_).count();
  // Longer lines would wrap, and only their last row could be cleared.
  std::string line = (receiver_ != nullptr ? "" : "  ") + phase_ + ": " + text + " (" + format_seconds(seconds) + ")";
  if (line.size() > 79)
    line.resize(79);
  draw(line);
}

void Console::phase_table(const std::vector<Phase>& phases) {
  const std::vector<std::vector<std::string>> rows = phase_rows(phases);
  table(rows.front(), {rows.begin() + 1, rows.end()});
}

void Console::quantity(const std::string& name, double value, const std::string& unit, const std::string& note) {
  item(name, formatted("%.10g", value) + (unit.empty() ? "" : " " + unit) + (note.empty() ? "" : " (" + note + ")"));
}

void Console::table(const std::vector<std::string>& headline, const std::vector<std::vector<std::string>>& rows) {
  if (quiet_)
    return;
  std::vector<std::size_t> widths;
  for (const std::string& head : headline)
    widths.push_back(width_of(head));
  for (const std::vector<std::string>& row : rows)
    for (std::size_t k = 0; k < row.size() && k < widths.size(); ++k)
      widths[k] = std::max(widths[k], width_of(row[k]));
  widths[0] = std::max(widths[0], name_width);
  const auto print = [&](const std::vector<std::string>& row) {
    std::string text = " ";
    for (std::size_t k = 0; k < row.size() && k < widths.size(); ++k)
      text += std::string(k == 0 ? 1 : 2, ' ') + padded(row[k], widths[k], k == 0);
    text.erase(text.find_last_not_of(' ') + 1);
    line(text);
  };
  print(headline);
  for (const std::vector<std::string>& row : rows)
    print(row);
}

std::vector<std::vector<std::string>> phase_rows(const std::vector<Phase>& phases) {
  std::vector<Phase> sums;
  double total = 0.;
  for (const Phase& phase : phases) {
    total += phase.seconds;
    const auto same = std::find_if(
        sums.begin(), sums.end(), [&](const Phase& sum) { return sum.name == phase.name && sum.where == phase.where; });
    if (same == sums.end()) {
      sums.push_back(phase);
    } else {
      same->seconds += phase.seconds;
      same->peak_bytes = std::max(same->peak_bytes, phase.peak_bytes);
    }
  }
  std::vector<std::vector<std::string>> rows{{"phase", "where", "time", "share", "peak memory"}};
  std::size_t peak = 0;
  for (const Phase& phase : sums) {
    peak = std::max(peak, phase.peak_bytes);
    rows.push_back({phase.name, phase.where, format_seconds(phase.seconds),
                    formatted("%.0f %%", total > 0. ? 100. * phase.seconds / total : 0.),
                    format_bytes(static_cast<double>(phase.peak_bytes))});
  }
  rows.push_back({"total", "", format_seconds(total), "", format_bytes(static_cast<double>(peak))});
  return rows;
}

} // namespace tessera::io
