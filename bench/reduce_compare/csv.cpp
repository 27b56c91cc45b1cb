// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reduce_compare/report.hpp"

namespace jitune::bench {

namespace {

std::string csv_line(const Result& result, const Measured& side, const char* library,
                     const Baseline& baseline) {
    const Problem& problem = result.cell.problem;
    const double gbps = result.gbps(side);
    return fmt::format("{},{},{},{},{},{},{},{},{},{:.4f},{:.5f},{:.1f},{:.4f},{},\"{}\"\n",
                       library, to_string(problem.shape), to_string(problem.element),
                       op_name(problem.op), problem.outer, problem.inner, result.cell.misaligned,
                       result.cell.warm ? "warm" : "cold", to_string(result.way), side.timing.us,
                       side.timing.noise, gbps, gbps / baseline.ceiling.gbps,
                       side.right ? "ok" : "wrong", side.how);
}

}  // namespace

std::string csv_head() {
    return "library,shape,type,op,outer,inner,offset,cache,way,us,noise,gbps,share,check,how\n";
}

std::string csv_lines(const Result& result, const Baseline& baseline) {
    std::string lines = csv_line(result, result.jitune, "jitune", baseline);
    if (result.cub) {
        lines += csv_line(result, *result.cub, "cub", baseline);
    }
    return lines;
}

}  // namespace jitune::bench
