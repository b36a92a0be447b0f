// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEOMETRY_GEO_TEXT_HPP
#define TESSERA_IO_GEOMETRY_GEO_TEXT_HPP

/// \file
/// Scans the words of a .geo file and of the files that it includes, without running it.

#include <functional>
#include <string>
#include <vector>

namespace tessera::io::detail {

/// A word outside comments and strings.
struct GeoWord {
  const std::string& file; ///< path
  const std::string& text; ///< of the whole file, comments blanked
  std::string word;
  std::size_t end = 0; ///< position after the word

  /// Line of the word, from 1.
  int line() const;
  /// Position of the next non-blank character after the word, or the end of the text.
  std::size_t next() const;
  /// The text between the quotes at position `at`, or "" if there are none.
  std::string quoted(std::size_t at) const;
};

/// Calls `work` for each word of a .geo file in the order of the text; `work` returns the position at which to
/// continue, `end` for the next word. A file after `Include "name"` is read at that point and, if `merges` is set, also
/// a script after `Merge "name"`, and "<file>.opt" next to each file, which Gmsh runs automatically. Missing files are
/// skipped: Gmsh reports them. Throws tessera::Error (kind input) for a file that is not a regular text file, that
/// includes itself, or that is more than ten levels deep.
void walk_geo(const std::string& path, bool merges, const std::function<std::size_t(const GeoWord&)>& work);

/// The quoted texts outside comments; `text`: comments blanked.
std::vector<std::string> quoted_texts(const std::string& text);

/// Position of the quote or bracket that closes the one at `open`, or the end of the text.
std::size_t closing_bracket(const std::string& text, std::size_t open);

/// Whether Gmsh reads a file with this beginning as a mesh in its format (.msh), not as a script.
bool begins_as_msh(const std::string& path);

} // namespace tessera::io::detail

#endif
