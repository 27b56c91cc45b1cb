// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reduce_compare/cell.hpp"

namespace jitune::bench {

/// An upper bound on jitune's time in a cold graph chain on an H200.
struct Target {
    Cell cell;
    double us = 0;
    std::string source;
    std::optional<double> measured_us;  ///< empty where the cell was not measured

    [[nodiscard]] bool met() const { return measured_us && *measured_us <= us; }
};

/// All targets: the named ones, the best of earlier measurements, and the bars of rows and columns.
std::vector<Target> judged_targets(const std::vector<Result>& results);

}  // namespace jitune::bench
