// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuning_history.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tuning/finalist.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kDown = "the machine went down during this candidate";

struct Past {
    const Measurement* last = nullptr;  // the last proper verdict
    const Measurement* down = nullptr;  // the machine went down, later than that verdict
    int downs = 0;                      // how often it did
    bool alone = false;                 // nothing else was under way the last time
};

bool is_same_place(const Provenance& a, const Provenance& b) {
    return a.device_name == b.device_name && a.driver == b.driver && a.compiler == b.compiler;
}

}  // namespace

std::string machine_down_reason(std::size_t others) {
    return others == 0 ? std::string(kDown) : fmt::format("{} or {} others", kDown, others);
}

void recall(TuningStore& store, const RecordMaker& record_maker, SearchPlan& plan) {
    const RecordKey key = record_maker.task().key();
    const std::optional<Winner> winner = store.find(key);
    if (winner) {
        plan.incumbent = winner->configuration;
    }
    TuningHistory history = tuning_history(store.measurements(key), record_maker.task().sizes(),
                                           record_maker.provenance(), !winner || !winner->complete);
    plan.history = std::move(history.known);
    plan.suspects = std::move(history.suspects);
}

std::optional<Winner> complete_winner(TuningStore& store, const RecordMaker& record_maker) {
    const Task& task = record_maker.task();
    std::optional<Winner> winner = store.find(task.key());
    if (!winner || !winner->complete ||
        !is_same_place(winner->provenance, record_maker.provenance()) ||
        !task.accepts(task.parse(winner->configuration))) {
        return std::nullopt;
    }
    // Other sizes share the winner, and are raced against it once each.
    const auto tried = [&](const Measurement& row) {
        return row.verdict == Verdict::timed && row.sizes == task.sizes();
    };
    const std::vector<Measurement> rows = store.measurements(task.key());
    return std::any_of(rows.begin(), rows.end(), tried) ? std::move(winner) : std::nullopt;
}

TuningHistory tuning_history(const std::vector<Measurement>& rows, const std::string& sizes,
                             const Provenance& now, bool resume) {
    std::map<std::string, Past> pasts;
    bool worked = false;
    for (const Measurement& row : rows) {
        if (row.reason.starts_with(kDown)) {  // at any sizes: the machine was lost, not a time
            Past& past = pasts[row.configuration];
            past.down = &row;
            past.alone = row.reason == kDown;
            ++past.downs;
        } else if (row.sizes == sizes && is_same_place(row.provenance, now) && !is_of_finals(row)) {
            pasts[row.configuration] = {&row, nullptr, 0, false};
            worked = worked || row.verdict == Verdict::timed;
        }
    }
    TuningHistory history;
    for (const auto& [configuration, past] : pasts) {
        if (past.downs >= 2 && past.alone) {
            history.known.push_back(*past.down);
            history.known.back().reason =
                fmt::format("quarantined: {} {} times", kDown, past.downs);
        } else if (past.down != nullptr) {
            history.suspects.push_back(configuration);
        } else if (resume && worked && past.last->verdict != Verdict::launch_failed) {
            history.known.push_back(*past.last);
        }
    }
    return history;
}

}  // namespace jitune::internal
