// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/time_left.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

#include "cli/families/sizes.hpp"
#include "jitune/error.hpp"
#include "plan/problem_state.hpp"
#include "support/process.hpp"

namespace jitune::internal {

namespace {

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::optional<double> asked_of_squeue(const std::string& job) {
    const auto program = find_program("squeue");
    if (!program || !plain_number(job)) {
        return std::nullopt;
    }
    try {
        const ProcessResult result = run_process({.program = *program,
                                                  .arguments = {"-h", "-j", job, "-o", "%L"},
                                                  .environment = {},
                                                  .timeout = std::chrono::seconds(10)});
        return result.succeeded() ? parse_slurm_time(result.output) : std::nullopt;
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::optional<double> seconds_by_slurm() {
    if (const auto end = plain_number(variable("SLURM_JOB_END_TIME"))) {
        return static_cast<double>(*end) - static_cast<double>(std::time(nullptr));
    }
    return asked_of_squeue(variable("SLURM_JOB_ID"));
}

}  // namespace

std::optional<double> parse_slurm_time(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
        text.remove_suffix(1);
    }
    double days = 0;
    if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
        const auto number = plain_number(text.substr(0, dash));
        if (!number) {
            return std::nullopt;
        }
        days = static_cast<double>(*number);
        text.remove_prefix(dash + 1);
    }
    double seconds = 0;
    int parts = 0;
    for (bool more = true; more; ++parts) {
        const std::size_t end = std::min(text.find(':'), text.size());
        const auto number = plain_number(text.substr(0, end));
        if (!number) {
            return std::nullopt;
        }
        seconds = seconds * 60 + static_cast<double>(*number);
        more = end < text.size();
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    constexpr double kDay = 86'400;
    return parts == 2 || parts == 3 ? std::optional(days * kDay + seconds) : std::nullopt;
}

Deadline deadline_after(std::string_view option, const std::string& duration) {
    using Clock = std::chrono::steady_clock;
    constexpr double kMost = 1e9;  // seconds: a clock counts no more than 9e9
    if (duration.empty()) {
        return std::nullopt;
    }
    const double seconds = std::min(parse_duration(option, duration), kMost);
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

Deadline end_of_job(const std::string& time_left) {
    if (!time_left.empty()) {
        return deadline_after("--time-left", time_left);
    }
    const auto seconds = seconds_by_slurm();
    return seconds ? deadline_after("SLURM_JOB_END_TIME",
                                    fmt::format("{:.3f}", std::max(*seconds, 0.001)))
                   : std::nullopt;
}

}  // namespace jitune::internal
