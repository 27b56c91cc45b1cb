// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reduce_compare/cell.hpp"
#include "reduce_compare/comparison.hpp"
#include "reduce_compare/reader.hpp"

namespace jitune::bench {

/// What all results of a run are judged against.
struct Baseline {
    std::string device;  ///< GPU, driver and library versions
    ReadCeiling ceiling;
    NoiseFloor floor;
};

/// The head of the table, and one line for a result; both end with a newline.
std::string table_head();
std::string table_line(const Result& result, const Baseline& baseline);

/// Where jitune is slower than CUB, what is wrong, ratios, and the targets.
std::string verdict(const std::vector<Result>& results, const Baseline& baseline);

/// The lines of the CSV: its head, and one line for each side of a result.
std::string csv_head();
std::string csv_lines(const Result& result, const Baseline& baseline);

/// One JSON object with the baseline, the results and the targets.
std::string json_text(const std::vector<Result>& results, const Baseline& baseline);

}  // namespace jitune::bench
