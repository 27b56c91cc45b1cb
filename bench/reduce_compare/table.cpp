// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reduce_compare/report.hpp"

namespace jitune::bench {

namespace {

constexpr const char* kLine = "{:<40} {:<6} {:>10} {:>6} {:>10} {:>6} {:>8} {:>8} {:>7} {}\n";

std::string us_text(double us) {
    return us < 100 ? fmt::format("{:.3f}", us) : fmt::format("{:.1f}", us);
}

std::string percent(double share) {
    return fmt::format("{:.1f}%", share * 100);
}

}  // namespace

std::string table_head() {
    return fmt::format(kLine, "problem", "way", "jitune us", "+-", "cub us", "+-", "cub/jit",
                       "GB/s", "ceiling", "check");
}

std::string table_line(const Result& result, const Baseline& baseline) {
    const double gbps = result.gbps(result.jitune);
    const char* check = !result.right()                                ? "WRONG"
                        : result.slower(baseline.floor.of(result.way)) ? "slower"
                                                                       : "ok";
    const Timing& jitune = result.jitune.timing;
    return fmt::format(kLine, text(result.cell), to_string(result.way), us_text(jitune.us),
                       percent(jitune.noise), result.cub ? us_text(result.cub->timing.us) : "-",
                       result.cub ? percent(result.cub->timing.noise) : "-",
                       result.cub ? fmt::format("{:.3f}", result.ratio()) : "-",
                       fmt::format("{:.0f}", gbps), percent(gbps / baseline.ceiling.gbps), check);
}

}  // namespace jitune::bench
