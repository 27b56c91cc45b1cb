// SPDX-License-Identifier: Apache-2.0
#include "cli/app/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/app/output.hpp"
#include "dispatch/session_options.hpp"
#include "jitune/error.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace {

constexpr std::chrono::milliseconds kTerminalInterval{100};
constexpr std::chrono::milliseconds kPlainInterval{10'000};

double rate(const RunState& run) {
    const std::size_t tried = run.tune.evaluated - std::min(run.tune.evaluated, run.known);
    return static_cast<double>(tried) / std::max(run.elapsed_s, 1e-3);
}

double seconds_left(const RunState& run, double budget_s) {
    if (run.tune.range) {
        return run.tune.range->left_s;
    }
    const auto untried = static_cast<double>(run.tune.space - run.tune.evaluated);
    const double left = rate(run) > 0 ? untried / rate(run) : 0;
    return budget_s > 0 ? std::min(left, std::max(0.0, budget_s - run.elapsed_s)) : left;
}

/// "waiting 12 s (at most 60 s) for block=64 items=2"
std::string wait_text(const TuneProgress::Wait& wait) {
    return fmt::format("waiting {:.0f} s (at most {:g} s) for {}", wait.seconds, wait.limit_s,
                       wait.subject);
}

/// "searched 3/21 sizes, compared 40" of a range, else "20/100".
std::string evaluations_text(const TuneProgress& tune) {
    if (tune.range) {
        return range_progress_text(*tune.range);
    }
    return fmt::format("{}/{}", tune.evaluated, tune.space);
}

/// JITUNE_PROGRESS, in seconds: no setting of users.
std::chrono::milliseconds plain_interval() {
    const char* const word = ::secure_getenv("JITUNE_PROGRESS");
    if (word == nullptr || *word == '\0') {
        return kPlainInterval;
    }
    try {
        return parse_limit(word);
    } catch (const Error&) {  // it speaks of a limit
        throw Error(ErrorKind::usage,
                    fmt::format("JITUNE_PROGRESS: \"{}\" is no time between lines of progress: "
                                "give seconds above 0, as in 0.5",
                                word));
    }
}

std::string run_text(const RunState& run) {
    return fmt::format("{} {} {}{}", run.device, run.name, evaluations_text(run.tune),
                       run.tune.wait ? " " + wait_text(*run.tune.wait) : "");
}

/// Of the only run.
std::string run_text(const RunState& run, const std::string& left) {
    const std::string tried = fmt::format("{}: {}{}", run.name, evaluations_text(run.tune),
                                          run.tune.range ? "" : " tried");
    if (run.tune.wait) {
        return fmt::format("{}, {}", tried, wait_text(*run.tune.wait));
    }
    if (run.tune.range) {
        return fmt::format("{}, {}", tried, left);
    }
    const std::string best =
        run.tune.best_ns ? ", best " + time_text(*run.tune.best_ns) : std::string();
    return fmt::format("{}, {:.0f}/s{}, {}", tried, rate(run), best, left);
}

}  // namespace

std::string range_progress_text(const TuneProgress::Range& range) {
    return fmt::format("searched {}/{} sizes, compared {}", range.searched, range.anchors,
                       range.compared);
}

double seconds_left(const SweepState& state) {
    if (state.runs.empty()) {
        return 0;
    }
    const auto devices = static_cast<double>(state.runs.size());
    double left = 0, elapsed = 0;
    for (const RunState& run : state.runs) {
        left += seconds_left(run, state.budget_s);
        elapsed += run.elapsed_s;
    }
    const std::size_t tuned = state.done - state.kept;
    const double each =
        tuned > 0 ? state.spent_s / static_cast<double>(tuned) : (elapsed + left) / devices;
    const std::size_t begun = std::min(state.problems, state.done + state.runs.size());
    return (left + each * static_cast<double>(state.problems - begun)) / devices;
}

std::string progress_text(const SweepState& state) {
    const std::string left = clock_text(seconds_left(state)) + " left";
    if (state.runs.size() == 1) {
        return fmt::format("[{}/{}] {}", state.done + 1, state.problems,
                           run_text(state.runs.front(), left));
    }
    double all = 0;
    std::vector<std::string> texts;
    for (const RunState& run : state.runs) {
        all += run.tune.range ? 0 : rate(run);
        texts.push_back(run_text(run));
    }
    return fmt::format("[{}/{}] {}{}: {}", state.done, state.problems,
                       all > 0 ? fmt::format("{:.0f}/s, ", all) : "", left, fmt::join(texts, ", "));
}

std::string progress_line(const SweepState& state, std::size_t columns) {
    // In the last column the cursor of some terminals would be on the next line already.
    return fitted_ends(progress_text(state), columns - 1);
}

Progress::Progress()
    : terminal_(::isatty(STDERR_FILENO) == 1),
      interval_(terminal_ ? kTerminalInterval : plain_interval()),
      next_(Clock::now() + (terminal_ ? Clock::duration{} : Clock::duration(interval_))) {}

void Progress::show(const SweepState& state) {
    const auto now = Clock::now();
    if (now < next_) {
        return;
    }
    if (terminal_) {
        print_error("\r\033[K" + progress_line(state, terminal_columns(STDERR_FILENO)));
        visible_ = true;
    } else {
        print_error(progress_text(state) + "\n");
    }
    next_ = now + interval_;
    std::fflush(stderr);
}

void Progress::clear() {
    if (visible_) {
        std::fputs("\r\033[K", stderr);
        std::fflush(stderr);
        visible_ = false;
    }
}

TuneWatch::TuneWatch(std::string device, std::string name, const Options& options) {
    state_.problems = 1;
    state_.runs.push_back({std::move(device), std::move(name), {}, 0});
    state_.budget_s = std::chrono::duration<double>(options.budget).count();
}

void TuneWatch::operator()(const TuneProgress& progress) {
    RunState& run = state_.runs.front();
    run.go_on(progress, std::chrono::duration<double>(Clock::now() - start_).count());
    if (!first_ && progress.evaluated > 0) {
        first_ = run;
    }
    if (progress.evaluated > last_.tune.evaluated) {
        last_ = run;
    }
    shown_.show(state_);
}

std::optional<double> TuneWatch::seconds_left() const {
    if (!first_) {
        return std::nullopt;
    }
    const TuneProgress& tune = last_.tune;
    const auto left = static_cast<double>(tune.space - std::min(tune.space, tune.evaluated));
    if (tune.evaluated == first_->tune.evaluated) {  // its time has the set-up in it
        return first_->elapsed_s * left;
    }
    const auto tried = static_cast<double>(tune.evaluated - first_->tune.evaluated);
    return (last_.elapsed_s - first_->elapsed_s) / tried * left;
}

}  // namespace jitune::internal
