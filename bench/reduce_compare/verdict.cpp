// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "reduce_compare/report.hpp"
#include "reduce_compare/targets.hpp"

namespace jitune::bench {

namespace {

using Which = std::function<bool(const Result&)>;

std::string wrong_text(const std::vector<Result>& results) {
    std::string text;
    for (const Result& result : results) {
        if (!result.jitune.right) {
            text += fmt::format("WRONG: jitune, {}, {}\n", bench::text(result.cell),
                                to_string(result.way));
        }
        if (result.cub && !result.cub->right) {
            text += fmt::format("WRONG: cub, {}, {}\n", bench::text(result.cell),
                                to_string(result.way));
        }
    }
    return text.empty() ? "every result of both sides was right\n" : text;
}

std::string slower_text(const std::vector<Result>& results, const Baseline& baseline, Way way) {
    std::string text;
    int compared = 0;
    int slower = 0;
    int behind = 0;
    for (const Result& result : results) {
        if (result.way != way || !result.cub) {
            continue;
        }
        ++compared;
        behind += result.ratio() < 1 ? 1 : 0;
        if (result.slower(baseline.floor.of(way))) {
            ++slower;
            text += fmt::format("  {:<40} {:.3f} us, cub {:.3f} us, ratio {:.3f}\n",
                                bench::text(result.cell), result.jitune.timing.us,
                                result.cub->timing.us, result.ratio());
        }
    }
    return fmt::format(
        "never slower than CUB ({}): slower beyond noise in {} of {} cells, behind "
        "at all in {}\n{}",
        to_string(way), slower, compared, behind, text);
}

/// Geometric mean and smallest of CUB's time over jitune's.
std::string ratio_text(const char* name, const std::vector<Result>& results, const Which& which) {
    double logarithms = 0;
    double smallest = INFINITY;
    int count = 0;
    for (const Result& result : results) {
        if (result.cub && which(result)) {
            logarithms += std::log(result.ratio());
            smallest = std::min(smallest, result.ratio());
            ++count;
        }
    }
    return count == 0 ? std::string()
                      : fmt::format("  {:<32} geometric mean {:.3f}, smallest {:.3f}, {} cells\n",
                                    name, std::exp(logarithms / count), smallest, count);
}

std::string ratios_text(const std::vector<Result>& results) {
    const auto flat = [](Way way, bool warm) {
        return [way, warm](const Result& result) {
            return result.way == way && result.cell.problem.shape == Shape::flat &&
                   result.cell.warm == warm;
        };
    };
    const auto shaped = [](bool ragged) {
        return [ragged](const Result& result) {
            return result.way == Way::chain && result.cell.problem.shape != Shape::flat &&
                   result.cell.problem.ragged() == ragged;
        };
    };
    return "time of CUB over jitune's\n" +
           ratio_text("flat, cold, chain", results, flat(Way::chain, false)) +
           ratio_text("flat, warm, chain", results, flat(Way::chain, true)) +
           ratio_text("flat, cold, stream", results, flat(Way::stream, false)) +
           ratio_text("flat, warm, stream", results, flat(Way::stream, true)) +
           ratio_text("rows, chain", results, shaped(false)) +
           ratio_text("ragged segments, chain", results, shaped(true));
}

std::string targets_text(const std::vector<Result>& results) {
    std::string text;
    int met = 0;
    int missed = 0;
    for (const Target& target : judged_targets(results)) {
        if (!target.measured_us) {
            continue;
        }
        (target.met() ? met : missed) += 1;
        text += fmt::format("  {:<40} <= {:>8.2f} us: {:>8.2f} us {} ({})\n",
                            bench::text(target.cell), target.us, *target.measured_us,
                            target.met() ? "met   "
                                         : fmt::format("missed by {:.1f}%",
                                                       (*target.measured_us / target.us - 1) * 100),
                            target.source);
    }
    return fmt::format("targets, cold chain: {} met, {} missed\n{}", met, missed, text);
}

}  // namespace

std::string verdict(const std::vector<Result>& results, const Baseline& baseline) {
    return "\n" + wrong_text(results) + slower_text(results, baseline, Way::chain) +
           slower_text(results, baseline, Way::stream) + ratios_text(results) +
           targets_text(results);
}

}  // namespace jitune::bench
