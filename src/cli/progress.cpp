#include "cli/progress.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/output.hpp"
#include "cli/units.hpp"

namespace jitune {

namespace {

constexpr std::chrono::milliseconds kTerminalInterval{100};
constexpr std::chrono::seconds kPlainInterval{10};
constexpr std::size_t kTerminalWidth = 79;

double rate(const SweepState& state) {
    return static_cast<double>(state.tune.evaluated) / std::max(state.elapsed_s, 1e-3);
}

}  // namespace

double seconds_left(const SweepState& state) {
    const auto untried = static_cast<double>(state.tune.space - state.tune.evaluated);
    double here = state.tune.evaluated > 0 ? untried / rate(state) : 0;
    if (state.budget_s > 0) {
        here = std::min(here, std::max(0.0, state.budget_s - state.elapsed_s));
    }
    const double each = state.problem > 0 ? state.finished_s / static_cast<double>(state.problem)
                                          : state.elapsed_s + here;
    return here + each * static_cast<double>(state.problems - state.problem - 1);
}

std::string progress_text(const SweepState& state) {
    const std::string best =
        state.tune.best_ns ? ", best " + time_text(*state.tune.best_ns) : std::string();
    return fmt::format("[{}/{}] {}: {}/{} tried, {:.0f}/s{}, {} left", state.problem + 1,
                       state.problems, state.name, state.tune.evaluated, state.tune.space,
                       rate(state), best, clock_text(seconds_left(state)));
}

Progress::Progress()
    : terminal_(::isatty(STDERR_FILENO) == 1),
      next_(Clock::now() + (terminal_ ? Clock::duration{} : Clock::duration(kPlainInterval))) {}

void Progress::show(const SweepState& state) {
    const auto now = Clock::now();
    if (now < next_) {
        return;
    }
    if (terminal_) {
        print_error("\r\033[K" + progress_text(state).substr(0, kTerminalWidth));
        visible_ = true;
        next_ = now + kTerminalInterval;
    } else {
        print_error(progress_text(state) + "\n");
        next_ = now + kPlainInterval;
    }
    std::fflush(stderr);
}

void Progress::clear() {
    if (visible_) {
        std::fputs("\r\033[K", stderr);
        std::fflush(stderr);
        visible_ = false;
    }
}

}  // namespace jitune
