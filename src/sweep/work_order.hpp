// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sweep/call_estimate.hpp"
#include "tuner_db/calls/call_record.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {

/// Problems for which calls found no winner, or a provisional one. All have the same key, so their
/// sizes lie within half an octave of each other, and one tuning serves them all. The numbers say
/// what that tuning is worth.
struct WorkItem {
    std::vector<CallRecord> misses;  ///< at least one, those called most first
    double call_ns = 0;  ///< estimated time of a call of the first, as it is answered now
    double saved_s = 0;  ///< estimated time that a winner would have saved in all their calls
    double tune_s = 0;   ///< estimated time of its tuning
    bool is_provisional = false;  ///< the first has a provisional winner

    [[nodiscard]] std::int64_t calls() const;
};

/// How long a problem of a work-list is tuned.
enum class Effort {
    brief,  ///< a part of the budget
    full,   ///< the whole budget
};

/// The part of the budget that a brief tuning gets. A search finds most of what it finds at its
/// beginning.
inline constexpr double kBriefPart = 0.125;

/// The usual seconds of a full tuning.
inline constexpr double kUsualBudgetS = 2;

/// One tuning of one item.
struct WorkStep {
    std::size_t item = 0;
    Effort effort = Effort::brief;
    double saved_s = 0;  ///< expected, of all calls that are recorded
    double tune_s = 0;   ///< expected
};

/// Says in which order the items of a work-list are worth tuning: those first that are expected to
/// save most time for a second of tuning, each briefly and later once more, or with all of the
/// budget at once if brief tunings turn out to take nearly as long. What has been tuned changes
/// what is expected of the rest.
///
/// A call takes and a winner gains what CallEstimate says. The gain of a brief tuning is taken for
/// four fifths of what a full one gains. A winner also answers sizes within an octave. There it is
/// taken to gain less the further they are, and half at an octave. A tuning takes 1.5 times its
/// budget, half a second and the time to read the data once at 1 GB/s; All that is multiplied by
/// how much longer than expected the tunings so far have taken.
class WorkOrder {
public:
    /// `winners`: those that are stored. `budget_s`: of a full tuning.
    WorkOrder(std::vector<WorkItem> items, std::span<const Winner> winners,
              double budget_s = kUsualBudgetS);

    [[nodiscard]] const std::vector<WorkItem>& items() const { return items_; }

    /// The steps that are left, the best first.
    [[nodiscard]] std::vector<WorkStep> steps() const;

    /// The time that a call of an item's first sizes takes now.
    [[nodiscard]] double call_ns(std::size_t item) const;

    /// A tuning has ended, after `seconds`, with these winners. Also of one that failed, without
    /// winners: it is not tried again.
    void done(std::size_t item, Effort effort, std::span<const Winner> winners, double seconds);

private:
    struct State {
        Sizes sizes;
        CallEstimate estimate;
        double calls = 0;
        double kept = 0;  ///< the part of the gain that the present answer has
        bool brief_done = false;
        bool full_done = false;
        std::vector<std::pair<std::size_t, double>> near = {};  ///< items, and the part kept there
    };
    using KernelName = std::pair<std::string, std::string>;  ///< kernel and class of devices

    static KernelName kernel_of(const RecordKey& key) { return {key.kernel, key.device_class}; }
    void find_neighbours();
    void learn(const Winner& winner);
    /// The expected seconds of a tuning, without what the tunings so far have taught.
    [[nodiscard]] double assumed_s(std::size_t item, Effort effort) const;
    [[nodiscard]] const KernelLessons& lessons(std::size_t item) const;
    /// The seconds that calls of an item lose while their answer has the part `kept` of the gain.
    [[nodiscard]] double lost_s(std::size_t item, double kept) const;
    [[nodiscard]] double saved_s(std::size_t item, Effort effort) const;
    [[nodiscard]] WorkStep step(std::size_t item, Effort effort) const;

    std::vector<WorkItem> items_;
    std::vector<State> states_;  ///< by item
    double budget_s_;
    std::map<KernelName, KernelLessons> kernels_;
    std::map<Effort, WeightedMean> durations_;  ///< logarithms, over what was assumed
};

/// The items of a work-list, those first that WorkOrder would tune first, with its estimates.
std::vector<WorkItem> worklist(std::vector<CallRecord> misses, std::span<const Winner> winners);

/// How many of them no winner serves: the others have a provisional one.
std::int64_t unserved(std::span<const WorkItem> items);

/// That of a database. Throws Error(store).
inline std::vector<WorkItem> worklist_of(TuningStore& store) {
    return worklist(store.calls().misses(), store.winners());
}

}  // namespace jitune::internal
