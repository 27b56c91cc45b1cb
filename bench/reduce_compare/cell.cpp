// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/cell.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace jitune::bench {

const char* to_string(Way way) {
    return way == Way::chain ? "chain" : "stream";
}

bool Result::slower(double floor) const {
    if (!cub) {
        return false;
    }
    const double noise = std::max(jitune.timing.noise + cub->timing.noise, floor);
    return jitune.timing.us > cub->timing.us * (1 + noise);
}

std::string text(const Cell& cell) {
    const Problem& problem = cell.problem;
    const std::string size = problem.shape == Shape::flat
                                 ? size_text(problem.inner)
                                 : fmt::format("{} {} x {}", to_string(problem.shape),
                                               size_text(problem.outer), size_text(problem.inner));
    const std::string offset =
        cell.misaligned > 0 ? fmt::format(" from +{}", cell.misaligned) : std::string();
    return fmt::format("{} {} {}{}{}", to_string(problem.element), op_name(problem.op), size,
                       offset, cell.warm ? " warm" : "");
}

}  // namespace jitune::bench
