// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "articles/stencil_steps.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"

namespace jitune::internal {

/// Outputs for each thread that are tried: the article's thread coarsening.
inline constexpr int kCoarsenings[] = {1, 2, 4, 8};

/// What became of both kernels and jitune's own at one radius.
struct StencilStepsLine {
    int radius = 0;
    std::vector<StepRow> shared, register_cache;  ///< in the order of kCoarsenings
    StepRow own;
};

/// The article's table: the time of the shared-memory kernel with one output for each thread, and
/// how many times faster each other kernel is.
class StencilStepsTable {
public:
    StencilStepsTable();
    [[nodiscard]] std::string header() const;
    [[nodiscard]] std::string line(const StencilStepsLine& line) const;

private:
    Table table_;
};

/// One object for each kernel, radius and coarsening.
Json stencil_steps_json(const std::vector<StencilStepsLine>& lines);

}  // namespace jitune::internal
