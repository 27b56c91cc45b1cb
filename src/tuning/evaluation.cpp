// SPDX-License-Identifier: Apache-2.0
#include "tuning/evaluation.hpp"

#include <map>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

void throw_no_winner(const Task& task, const std::vector<Evaluation>& evaluations) {
    std::map<std::string, int> counts;
    std::string example;
    bool compiled = false;
    for (const Evaluation& evaluation : evaluations) {
        ++counts[to_string(evaluation.verdict)];
        compiled = compiled || evaluation.verdict != Verdict::compile_failed;
        if (example.empty() && !evaluation.reason.empty()) {
            example = evaluation.configuration.text() + ": " + evaluation.reason;
        }
    }
    std::string summary;
    for (const auto& [verdict, count] : counts) {
        summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", count, verdict);
    }
    throw Error(
        compiled ? ErrorKind::verify : ErrorKind::compile,
        fmt::format("tuning {} on {}: no configuration works ({}). For example {}",
                    task.kernel_template().source().name, task.info().id, summary, example));
}

}  // namespace jitune::internal
