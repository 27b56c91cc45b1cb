// SPDX-License-Identifier: Apache-2.0
#include "tuning/search/evaluation.hpp"

#include <map>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

void throw_no_winner(const Task& task, const std::vector<Evaluation>& evaluations) {
    const std::string tried =
        fmt::format("tuning {} on {}", task.kernel_template().source().name, task.info().id);
    if (evaluations.empty()) {
        throw Error(ErrorKind::unavailable,
                    tried +
                        ": the time was over, or the worker ended, before a candidate was "
                        "tried; try again, with a longer budget if this comes again");
    }
    std::map<std::string, int> counts;
    std::string example;
    bool ran = false;
    for (const Evaluation& evaluation : evaluations) {
        ++counts[to_string(evaluation.verdict)];
        ran = ran || (evaluation.verdict != Verdict::compile_failed && !evaluation.unloadable);
        if (example.empty() && !evaluation.reason.empty()) {
            example = evaluation.configuration.text() + ": " + evaluation.reason;
        }
    }
    std::string summary;
    for (const auto& [verdict, count] : counts) {
        summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", count, verdict);
    }
    throw Error(
        ran ? ErrorKind::verify : ErrorKind::compile,
        fmt::format("{}: no configuration works ({}). For example {}", tried, summary, example));
}

}  // namespace jitune::internal
