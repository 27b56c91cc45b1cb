// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dispatch/behind/winner_race.hpp"
#include "dispatch/session_store.hpp"
#include "jitune/options.hpp"
#include "support/log.hpp"
#include "support/process_identity.hpp"
#include "support/time_source.hpp"
#include "tuning/isolation/isolation.hpp"
#include "tuning/record/binary_cache.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

class RecordMaker;

/// The outcome of storing winners.
struct Saved {
    bool stored = false;            ///< the database took them
    std::optional<Winner> serving;  ///< serves the sizes then, with its image
};

/// Has the problems of a session tuned where Isolation says, with what the database knows of them,
/// and keeps in the database what that finds. Thread-safe. Functions that tune, compare or store
/// throw Error(usage) under Options::frozen and in a log sink, and Error(forked) in a fork.
class SessionTuner {
public:
    /// All must outlive it.
    SessionTuner(const Options& options, const Log& log, const ForkGuard& fork_guard,
                 SessionStore& store, const TimeSource& time)
        : options_(options),
          log_(log),
          fork_guard_(fork_guard),
          store_(store),
          time_(time),
          isolation_(options, log) {}

    [[nodiscard]] const Options& options() const { return options_; }
    [[nodiscard]] const Log& log() const { return log_; }
    [[nodiscard]] SessionStore& store() { return store_; }
    /// The clock of the budgets and waits of what tunes with it.
    [[nodiscard]] const TimeSource& time() const { return time_; }
    [[nodiscard]] BinaryCache& binaries() { return binaries_; }
    [[nodiscard]] const Isolation& isolation() const { return isolation_; }

    /// Kernel instances given to a compiler, ended tunings, and races, so far.
    [[nodiscard]] std::int64_t compiles() const {
        return binaries_.compiles() + isolation_.compiles();
    }
    [[nodiscard]] std::int64_t tunings() const { return tunings_; }
    [[nodiscard]] std::int64_t raced() const { return raced_; }

    /// Throws if the session must not tune here.
    void refuse_tuning() const;

    /// Tunes. A winner that is stored already is the incumbent. Stores all measurements, also if it
    /// throws. Resumes a tuning that was interrupted. Sets the plan's incumbent, history and
    /// suspects and the observer itself: the caller's are not used.
    TuneReport tune(const Task& task, const SearchPlan& plan, const TuneHooks& hooks = {});
    /// As tune(), for a task whose workload is prepared.
    TuneReport tune_prepared(const Task& task, SearchPlan plan, const TuneHooks& hooks);

    /// As compare() of src/tuning, and stores one measurement of each configuration.
    TuneReport compare(const Task& task, const std::vector<std::string>& compared,
                       const SearchPlan& plan, const TuneHooks& hooks);

    /// Times a winner in doubt again, beside the template's default and the runner-up of the stored
    /// measurements: at the sizes where it was tuned and, if calls had other sizes, also at theirs.
    /// Stores the winner with its new times, or the faster one in its place, and the doubt ends.
    /// `task` gives the problem, but not its sizes. Throws as tune() does, and Error(unavailable)
    /// if `hooks` stop it; the doubt stays then.
    RaceReport race(const Task& task, const Doubt& doubt, const TuneHooks& hooks);

    /// Gives code to a winner at the task's sizes that a merge has brought without code. Compiles
    /// its configuration from this build's template, checks it and times it beside the default, as
    /// a tuning would, and stores the code. The row then serves as on the machine that tuned it.
    /// Returns false if there is no such winner, if it was unsure on that machine, if it is wrong
    /// or clearly slower than the default here, or if the database does not take the code. Throws
    /// as tune() does.
    bool adopt(const Task& task, const TuneHooks& hooks);

    /// Stores winners of one key. The winner that serves `sizes` then may be an older one.
    Saved save(std::span<const Winner> winners, std::span<const std::int64_t> sizes);
    void save(std::span<const Measurement> measurements);
    /// Stores `choice` of an objective as the winner of the task's sizes, and pins it. It takes the
    /// place of an earlier choice of the same objective. Returns false if the database did not take
    /// it. Also returns false if another winner is pinned at these sizes; `choice` is that winner
    /// then.
    bool save_choice(const Task& task, const std::string& objective, Winner& choice);

    /// The stored winner to which tune() would add nothing, because it is complete and of this
    /// device, driver and compiler.
    std::optional<Winner> complete_winner(const Task& task);

private:
    /// Tunes with the plan's history. If no configuration works, tunes again without the history: a
    /// database must not make a tuning fail.
    /// `tries`: tries_of() the stored winner of this device, driver and compiler; 0: there is none.
    TuneReport tune_distrustfully(const RecordMaker& record_maker, SearchPlan& plan,
                                  const TuneHooks& hooks, std::size_t tries);
    TuneReport tune_journalled(const RecordMaker& record_maker, const SearchPlan& plan,
                               TuneHooks hooks, std::size_t tries);
    /// Races `racers`, one of which is `standing`, at these sizes. Returns the winner: `standing`
    /// unless another racer is clearly faster. Returns nothing if no racer works.
    std::optional<Winner> race_at(const Task& task, const Sizes& sizes,
                                  const std::vector<std::string>& racers,
                                  const std::string& standing, const TuneHooks& hooks);
    /// Races a stored winner at these sizes, with the default and the runner-up.
    std::optional<Winner> race_again(const Task& task, const Sizes& sizes, const Winner& stored,
                                     const TuneHooks& hooks);
    /// Races a winner that takes too long or was tuned with another driver.
    RaceReport race_doubted(const Task& task, const Doubt& doubt, const Winner& stored,
                            const TuneHooks& hooks);

    const Options& options_;
    const Log& log_;
    const ForkGuard& fork_guard_;
    SessionStore& store_;
    const TimeSource& time_;
    BinaryCache binaries_;
    Isolation isolation_;
    std::once_flag recovered_;  ///< the journals of ended processes are in the database
    std::atomic<std::int64_t> tunings_{0}, raced_{0};
};

}  // namespace jitune::internal
