// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_FIELDS_HPP
#define TESSERA_DRIVER_EVALUATION_FIELDS_HPP

#include "driver/problem/fields.hpp"
#include "driver/solve.hpp"
#include "io/output/output_directory.hpp"

#include <optional>

namespace tessera::driver {

/// A field of the file, as the input lists it.
struct ListedField {
  io::Field field;
  std::string name;
  std::string unit;
};
std::vector<ListedField> listed_fields(const io::Case& input);

/// Writes the fields requested by the input to fields.vtkhdf, of one solution or of several time steps. With parts of
/// the mesh each process writes a piece; `output` is null except on rank 0. Functions are collective.
template <class ExecutionSpace> class NodalFields {
public:
  /// A second problem on the same mesh, whose fields lie in the same file.
  struct Second {
    const Fields<ExecutionSpace>* problem = nullptr;
    const io::Case* input = nullptr;
    const Solution<ExecutionSpace>* solution = nullptr;
  };

  /// n_steps: at most this many steps follow; 0: one solution. The arguments must outlive this object.
  NodalFields(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
              const io::OutputDirectory* output, int n_steps = 0, const Second& second = {})
      : exec_(exec), problem_(problem), input_(input), output_(output), n_steps_(n_steps), second_(second) {}

  /// Writes the fields of a solution, of time steps in s.
  void write(const Solution<ExecutionSpace>& solution, double time = 0.);
  /// Completes the file, if there is one.
  void close();

private:
  /// Writes the fields of a problem's solution, with the `grid` of their sides if they are recovered.
  void write_all(const Fields<ExecutionSpace>& problem, const io::Case& input, const Solution<ExecutionSpace>& solution,
                 const HostGrid& grid);
  /// Begins the file, with `nodes` as the indices of its points, or those of the grid if null, and `coloring` of its
  /// elements.
  void begin(const io::FieldGrid& grid, const index_t* nodes, const assembly::ColoringSummary& coloring);

  ExecutionSpace exec_;
  const Fields<ExecutionSpace>& problem_;
  const io::Case& input_;
  const io::OutputDirectory* output_;
  int n_steps_;
  Second second_;
  std::optional<io::FieldFile> file_;
};

} // namespace tessera::driver

#endif
