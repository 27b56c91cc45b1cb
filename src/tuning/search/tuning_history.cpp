// SPDX-License-Identifier: Apache-2.0
#include "tuning/search/tuning_history.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tuner_db/winners/trust.hpp"
#include "tuning/finals/finalist.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;

constexpr int kNeighbours = 8;  // winners of other sizes that a search tries first
constexpr std::string_view kDown = "the machine went down during this candidate";

struct Past {
    const Measurement* last = nullptr;  // the last proper verdict
    const Measurement* down = nullptr;  // the machine went down in a try after that verdict
    int downs = 0;                      // how often it went down
    bool alone = false;                 // nothing else was under way when it last went down
};

constexpr std::string_view kQuarantined = "quarantined";
constexpr std::string_view kNoEnd = "did not end in ";

/// The limit that no_end_reason() has put into a reason; nothing in any other reason.
std::optional<std::chrono::duration<double, std::milli>> limit_in(const std::string& reason) {
    const std::size_t at = reason.find(kNoEnd);
    if (at == std::string::npos) {
        return std::nullopt;
    }
    double seconds = 0;
    std::from_chars(reason.data() + at + kNoEnd.size(), reason.data() + reason.size(), seconds);
    return std::chrono::duration<double, std::milli>(std::round(seconds * 1000));
}

/// False for verdicts that might not be given again today.
bool still_holds(const Measurement& row, const StepLimits& limits) {
    switch (row.verdict) {
        case Verdict::launch_failed:
            return false;
        case Verdict::timed_out:
            return limit_in(row.reason).value_or(milliseconds(0)) >= limits.candidate;
        case Verdict::compile_failed:
            return !lacked_resources(row.verdict, row.reason) &&
                   limit_in(row.reason).value_or(limits.compile) >= limits.compile;
        default:
            return true;
    }
}

}  // namespace

bool lacked_resources(Verdict verdict, std::string_view reason) {
    // The words of the system, GCC, its linker and NVRTC. A system that lacks memory kills
    // processes, and a busy machine takes long.
    constexpr std::array<std::string_view, 10> kWords{"still running after the time limit",
                                                      "signal 9 (Killed)",
                                                      "No space left on device",
                                                      "Disk quota exceeded",
                                                      "Cannot allocate memory",
                                                      "Resource temporarily unavailable",
                                                      "Too many open files",
                                                      "out of file descriptors",
                                                      "out of memory allocating",
                                                      "NVRTC_ERROR_OUT_OF_MEMORY"};
    return verdict == Verdict::compile_failed &&
           std::any_of(kWords.begin(), kWords.end(), [&](std::string_view words) {
               return reason.find(words) != std::string_view::npos;
           });
}

std::string no_end_reason(milliseconds limit) {
    return fmt::format("{}{:.15g} s", kNoEnd, static_cast<double>(limit.count()) / 1000);
}

std::string machine_down_reason(std::size_t others) {
    return others == 0 ? std::string(kDown) : fmt::format("{} or {} others", kDown, others);
}

std::optional<Winner> recall(TuningStore& store, const RecordMaker& record_maker,
                             const StepLimits& limits, SearchPlan& plan) {
    const Task& task = record_maker.task();
    const RecordKey key = task.key();
    std::optional<Winner> winner = store.incumbent(key, task.problem.sizes);
    if (winner) {
        plan.incumbent = winner->configuration;
    }
    std::vector<Measurement> rows = store.measurements().of(key);
    if (!winner || tries_of(winner->certainty) < kTries) {  // else it is never quiet
        std::erase_if(rows, [](const Measurement& row) {
            return row.verdict == Verdict::timed && Conditions::parse(row.conditions).contended;
        });
    }
    TuningHistory history =
        tuning_history(rows, record_maker.task().sizes(), record_maker.provenance(),
                       !plan.anew && (!winner || !winner->complete), limits);
    plan.history = std::move(history.known);
    plan.suspects = std::move(history.suspects);
    for (const Winner& near : store.nearest(key, task.problem.sizes, kNeighbours)) {
        if (std::find(plan.hints.begin(), plan.hints.end(), near.configuration) ==
            plan.hints.end()) {
            plan.hints.push_back(near.configuration);
        }
    }
    return winner;
}

std::optional<Winner> complete_winner(TuningStore& store, const RecordMaker& record_maker) {
    const Task& task = record_maker.task();
    std::optional<Winner> winner = store.find(task.key(), task.problem.sizes);
    if (!winner || !winner->complete ||
        !is_same_place(winner->provenance, record_maker.provenance()) ||
        !task.accepts(task.parse(winner->configuration))) {
        return std::nullopt;
    }
    // The winner may have been tuned at other sizes, and is tried once at each.
    const auto tried = [&](const Measurement& row) {
        return row.verdict == Verdict::timed && row.sizes == task.sizes() && is_of_search(row);
    };
    const std::vector<Measurement> rows = store.measurements().of(task.key());
    return std::any_of(rows.begin(), rows.end(), tried) ? std::move(winner) : std::nullopt;
}

bool forget_results(SearchPlan& plan) {
    return std::erase_if(plan.history, [](const Measurement& known) {
               return !known.reason.starts_with(kQuarantined);
           }) > 0;
}

TuningHistory tuning_history(const std::vector<Measurement>& rows, const std::string& sizes,
                             const Provenance& now, bool resume, const StepLimits& limits) {
    std::map<std::string, Past> pasts;
    for (const Measurement& row : rows) {
        if (row.reason.starts_with(kDown)) {  // at any sizes: the machine was lost, not a time
            Past& past = pasts[row.configuration];
            past.down = &row;
            past.alone = row.reason == kDown;
            ++past.downs;
        } else if (row.sizes == sizes && is_same_place(row.provenance, now) && is_of_search(row)) {
            pasts[row.configuration] = {&row, nullptr, 0, false};
        }
    }
    TuningHistory history;
    std::vector<Measurement> results;
    bool one_works = false;
    for (const auto& [configuration, past] : pasts) {
        if (past.downs >= 2 && past.alone) {
            history.known.push_back(*past.down);
            history.known.back().reason =
                fmt::format("{}: {} {} times", kQuarantined, kDown, past.downs);
        } else if (past.down != nullptr) {
            history.suspects.push_back(configuration);
        } else if (still_holds(*past.last, limits)) {
            results.push_back(*past.last);
            one_works = one_works || past.last->verdict == Verdict::timed;
        }
    }
    if (resume && one_works) {
        std::move(results.begin(), results.end(), std::back_inserter(history.known));
    }
    return history;
}

}  // namespace jitune::internal
