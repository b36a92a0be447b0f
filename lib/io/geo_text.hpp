// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEO_TEXT_HPP
#define TESSERA_IO_GEO_TEXT_HPP

/// \file
/// The words of a .geo file and of the files that it includes, without running it.

#include <functional>
#include <string>
#include <vector>

namespace tessera::io::detail {

/// A word outside of comments and strings.
struct GeoWord {
  const std::string& file; ///< path
  const std::string& text; ///< of the whole file, comments blanked
  std::string word;
  std::size_t end = 0; ///< position behind the word

  /// Line of the word, from 1.
  int line() const;
  /// Position of the next sign behind the word that is no blank, or the text's end.
  std::size_t next() const;
  /// The text between the quotes at position `at`, or "" when there are none.
  std::string quoted(std::size_t at) const;
};

/// Calls `work` for each word of a .geo file in the order of the text; it returns the position to go on from, `end` for
/// the next word. A file after `Include "name"` is read in its place, and where `merges` is set, a script after
/// `Merge "name"`, and "<file>.opt" beside each file, which Gmsh runs of its own accord. Files that are not there are
/// left out: Gmsh tells of them. Throws tessera::Error (kind input) for one that is no regular file or no text, that
/// includes itself, or stands deeper than ten levels.
void walk_geo(const std::string& path, bool merges, const std::function<std::size_t(const GeoWord&)>& work);

/// Position of the quote or bracket that closes the one at `open`, or the text's end.
std::size_t closing_bracket(const std::string& text, std::size_t open);

/// Whether Gmsh takes a file with this beginning for a mesh in its own format (.msh) and not for a script.
bool begins_as_msh(const std::string& path);

} // namespace tessera::io::detail

#endif
