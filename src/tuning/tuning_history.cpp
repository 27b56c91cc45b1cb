// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuning_history.hpp"

#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "tuning/finals.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kDown = "the machine went down during this candidate";

struct Past {
    const Measurement* last = nullptr;  // that says what the candidate is
    const Measurement* down = nullptr;  // since then
    int downs = 0;
    bool alone = false;  // the last time
};

bool is_same_place(const Provenance& a, const Provenance& b) {
    return a.device_name == b.device_name && a.driver == b.driver && a.compiler == b.compiler;
}

}  // namespace

std::string machine_down_reason(std::size_t others) {
    return others == 0 ? std::string(kDown) : fmt::format("{} or {} others", kDown, others);
}

void recall(TuningStore& store, const KernelTemplate& kernel, const Recorder& recorder,
            TuneOptions& options) {
    const auto& parameters = kernel.front_matter().parameters;
    const std::optional<Winner> winner = store.find(recorder.key());
    if (winner) {
        try {
            options.incumbent = Configuration::parse(winner->configuration, parameters);
        } catch (const Error&) {  // not a configuration of this template: no incumbent
            options.incumbent.reset();
        }
    }
    TuningHistory history = tuning_history(store.measurements(recorder.key()), recorder.sizes(),
                                           recorder.provenance(), !winner || !winner->complete);
    options.history = std::move(history.known);
    options.suspects = std::move(history.suspects);
}

TuningHistory tuning_history(const std::vector<Measurement>& rows, const std::string& sizes,
                             const Provenance& now, bool resume) {
    std::map<std::string, Past> pasts;
    bool worked = false;
    for (const Measurement& row : rows) {
        if (row.reason.starts_with(kDown)) {  // whatever the sizes: it is the machine that is lost
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
