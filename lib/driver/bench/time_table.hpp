// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_BENCH_TIME_TABLE_HPP
#define TESSERA_DRIVER_BENCH_TIME_TABLE_HPP

#include "core/kokkos_ext/device/kernel_times.hpp"
#include "driver/bench/timing.hpp"
#include "io/output/bench_table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::driver {

/// The problem that a table measures.
struct BenchSubject {
  std::string name;   ///< "tri-p1-1000"
  std::string family; ///< "tri-p1": the same for the problem on other sizes of mesh
  std::int64_t n_elements = 0;
  std::int64_t n_nodes = 0; ///< of the mesh
  std::int64_t n_unknowns = 0;
};

/// "tri-p1" of "tri-p1-1000+1", "transformer" of "transformer-24k", "plates" of "plates+2".
std::string family_of(const std::string& name);

/// The last part of a kernel's label: "sum_triplets".
std::string kernel_name(const KernelTime& kernel);

/// The kernels that took at least `least_share` of the time of all.
std::vector<KernelTime> main_kernels(const std::vector<KernelTime>& kernels, double least_share);

/// A table of times of one problem, in s, with the minimum traffic of the work and memory per element in B.
class TimeTable : public io::BenchTable {
public:
  /// `joint`: between method and part on the console. `copy_bandwidth`: that of the device, in B/s; 0: not measured.
  TimeTable(const std::string& name, const std::string& over, const std::string& title, const BenchSubject& subject,
            const std::string& joint = " ", double copy_bandwidth = 0.);
  /// Replaces title and problem, of the rows so far, too.
  void describe(const std::string& title, const BenchSubject& subject);

  /// Adds a row; model_bytes 0: no model.
  void add(const std::string& method, const std::string& part, const Timing& time, double model_bytes = 0.);
  /// Adds an indented row for a kernel.
  void add_kernel(const std::string& method, const KernelTime& kernel, double model_bytes = 0.);
  /// Adds a row that is not measured.
  void skip(const std::string& method, const std::string& reason);
  void note(const std::string& text) { rows.back().note = text; }
  double median(std::size_t row) const { return value(rows[row], "median"); }
  /// The times of the last row.
  Timing last() const {
    const io::BenchRow& row = rows.back();
    return {value(row, "first"), value(row, "median"), value(row, "minimum"), value(row, "maximum")};
  }

private:
  void add_row(const std::string& label, const std::string& method, const std::string& part);
  /// Sets the columns of the problem.
  void set_subject(io::BenchRow& row) const;

  BenchSubject subject_;
  std::string joint_;
  double copy_bandwidth_;
};

} // namespace tessera::driver

#endif
