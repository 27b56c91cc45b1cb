// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/platform.hpp"
#include "dispatch/answer/answers.hpp"
#include "dispatch/answer/dispatch_table.hpp"
#include "dispatch/behind/background.hpp"
#include "dispatch/behind/single_flight.hpp"
#include "dispatch/behind/stored_costs.hpp"
#include "dispatch/behind/winner_race.hpp"
#include "dispatch/engine_part.hpp"
#include "dispatch/family.hpp"
#include "dispatch/observe/call_recorder.hpp"
#include "dispatch/observe/pause_ledger.hpp"
#include "dispatch/observe/winner_watch.hpp"
#include "dispatch/session_store.hpp"
#include "jitune/session.hpp"
#include "support/log.hpp"
#include "support/process_identity.hpp"
#include "support/time_source.hpp"
#include "tuning/isolation/isolation.hpp"
#include "tuning/record/binary_cache.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// The outcome of Engine::tune_range() and tune_around().
struct RangeReport {
    std::vector<Winner> winners;
    bool stored = false;  ///< all of them are in the store
};

/// A tuning of a range reuses these measurements of earlier tunings.
enum class Reuse {
    nothing,
    undisturbed,  ///< those that other processes did not disturb
    all
};

/// The parts of a Session: platforms, database, compiled and resolved kernels. Thread-safe.
class Engine {
public:
    explicit Engine(const Options& options, std::span<const Family> families);
    /// Makes an engine over the caller's own platforms and clock, which must outlive it.
    Engine(Options options, std::vector<std::unique_ptr<Platform>> platforms,
           std::span<const Family> families = {}, const TimeSource& time = kMachineTime);
    ~Engine();

    [[nodiscard]] const Options& options() const { return options_; }
    [[nodiscard]] const Log& log() const { return log_; }
    [[nodiscard]] std::span<const Family> families() const { return families_; }
    /// The clock of its budgets and waits, also for a sweep with this engine.
    [[nodiscard]] const TimeSource& time() const { return time_; }
    [[nodiscard]] Counters counters() const;
    [[nodiscard]] std::vector<DeviceDescription> devices();

    /// What Session::~Session() does before devices and database go: ends tunings in the
    /// background, records the last misses, and logs. Does nothing in a forked process.
    void finish();

    /// As Session::table_digest().
    [[nodiscard]] std::string table_digest() const;

    /// The device of an id: "host", "cuda" or "cuda:N". Throws Error(usage) for any other id, and
    /// Error(unavailable) with the reason where the device does not exist.
    Device& device(std::string_view id);

    /// The first GPU, or the host where there is none. Throws Error(unavailable) without either.
    Device& first_device();

    /// The platforms of GPUs and of the host, cheap enough for every call.
    Platform& cuda() { return known(cuda_, PlatformKind::cuda); }
    Platform& host() { return known(host_, PlatformKind::host); }

    /// True if Options::device is the host, where host memory then stays.
    [[nodiscard]] bool keeps_host_data() const { return keeps_host_data_; }

    /// The engine's part; `make` creates it on first use.
    EnginePart& part(std::unique_ptr<EnginePart> (*make)(Engine& engine)) {
        if (EnginePart* const made = part_.load(std::memory_order_acquire)) [[likely]] {
            return *made;
        }
        return make_part(make);
    }

    /// Throws Error(unavailable) with the reason and `advice` if the platform has no device.
    Platform& platform(PlatformKind kind, std::string_view advice = {});

    /// The database, or nullptr if winners are kept in memory only. Opened on first use; if that
    /// fails, the next call tries again.
    TuningStore* store() { return store_.get(); }

    /// The answer to a miss in the dispatch table: from the database, else by Options::on_miss. One
    /// thread for each key works, whatever the sizes; other threads that need the same key wait for
    /// it. The result lives as long as the engine. While others hold the database, the template's
    /// default answers, and the next call tries to read again. Under Options::frozen, an answer of
    /// the default is counted.
    const Resolved& resolve(const DispatchKey& key, const Task& task);

    /// Whether the problem of these sizes waits for a tuning, or is being tuned.
    [[nodiscard]] bool is_pending(const DispatchKey& key,
                                  std::span<const std::int64_t> sizes) const {
        return background_->is_pending(key, sizes);
    }

    /// The answer for a handle, which keeps it: under TunePolicy::background the winner, if the
    /// problem waits for a tuning and has ended it within two budgets; else `answer`, which
    /// resolve() gave.
    const Resolved& prepared(const DispatchKey& key, std::span<const std::int64_t> sizes,
                             const Resolved& answer);

    /// Tunes. A winner that is stored already is the incumbent. Stores all measurements, also if it
    /// throws. Resumes a tuning that was interrupted. Runs in a worker if Isolation says so. Sets
    /// the plan's incumbent, history and suspects and the observer itself: the caller's are not
    /// used. Throws Error(usage) under Options::frozen.
    TuneReport tune_and_store(const Task& task, SearchPlan plan, const TuneHooks& hooks = {});

    /// Stores `choice` of an objective as the winner of the task's sizes, and pins it. It takes the
    /// place of an earlier choice of the same objective. Returns false if the database did not take
    /// it. Also returns false if another winner is pinned at these sizes; `choice` is that winner
    /// then.
    bool store_choice(const Task& task, const std::string& objective, Winner& choice);
    void store_measurements(std::span<const Measurement> measurements);

    /// Tunes the problem at its own sizes and stores the winner. For a task whose workload is
    /// prepared. Throws as tune_and_store() does.
    OwnTuning tune_own(const Task& task, const SearchPlan& plan, const TuneHooks& hooks);

    /// Finds winners for the sizes around those of the task's `own` tuning. The comparisons take at
    /// most half of the budget. Stores the winners. One of them serves the problem's sizes and is
    /// not unsure. If `hooks` stop the search, this one is the only winner. For a task whose
    /// workload is prepared. Throws as tune_and_store() does.
    RangeReport widen(const Task& task, const OwnTuning& own, const SearchPlan& plan,
                      const TuneHooks& hooks);

    /// Calls tune_own(), then widen().
    RangeReport tune_around(const Task& task, const SearchPlan& plan, const TuneHooks& hooks) {
        return widen(task, tune_own(task, plan, hooks), plan, hooks);
    }

    /// Finds winners for all sizes of `domain` and stores them; they replace the winners that are
    /// stored for these sizes. Each search at single sizes takes a third of the plan's budget; the
    /// comparisons between sizes take three quarters of a budget for each octave. Takes searches
    /// and comparisons of this device, driver and compiler from the database instead of repeating
    /// them, as `reuse` allows. Returns no winners if `hooks` stop it. The task's own sizes are not
    /// used. Throws as tune_and_store() does.
    RangeReport tune_range(const Task& task, const SizeBox& domain, const SearchPlan& plan,
                           const TuneHooks& hooks, Reuse reuse);

    /// Times a winner in doubt again, beside the template's default and the runner-up of the stored
    /// measurements: at the sizes where it was tuned and, if calls had other sizes, also at theirs.
    /// Stores the winner with its new times, or the faster one in its place, and the doubt ends.
    /// `task` gives the problem, but not its sizes. Throws as tune_and_store() does, and
    /// Error(unavailable) if `hooks` stop it; the doubt stays then.
    RaceReport race(const Task& task, const Doubt& doubt, const TuneHooks& hooks);

    /// Gives code to a winner at the task's sizes that a merge has brought without code. Compiles
    /// its configuration from this build's template, checks it and times it beside the default, as
    /// a tuning would, and stores the code. The row then serves as on the machine that tuned it.
    /// Returns false if there is no such winner, if it was unsure on that machine, if it is wrong
    /// or clearly slower than the default here, or if the database does not take the code. Throws
    /// as tune_and_store() does.
    bool adopt(const Task& task, const TuneHooks& hooks);

    /// The parts of `domain` that no stored winner serves, of the winners of this device, driver
    /// and compiler that are sure, and whose measurements `reuse` takes.
    std::vector<SizeBox> unserved(const Task& task, const SizeBox& domain, Reuse reuse);

    /// The stored winners that serve sizes of `domain`, without their images.
    std::vector<Winner> winners_of(const Task& task, const SizeBox& domain);

    /// The stored winner to which tune_and_store() would add nothing, because it is complete and
    /// of this device, driver and compiler.
    std::optional<Winner> complete_winner(const Task& task);

    [[nodiscard]] const DispatchTable& table() const { return table_; }

    /// Throws Error(forked) in a process forked from the one that made the engine.
    void refuse_fork() const {
        if (fork_guard_.forked()) [[unlikely]] {
            throw_forked();
        }
    }

private:
    [[noreturn]] static void throw_forked();
    void refuse_tuning() const;
    /// Throws Error(usage) in a log sink: a miss or a tuning there may wait for its own thread.
    static void refuse_sink();
    using Clock = TimeSource::Clock;

    /// As resolve(), for a call that came at `start`, without the ledger of pauses.
    const Resolved& answer(const DispatchKey& key, const Task& task, Clock::time_point start);
    /// Under TunePolicy::now: has the problem tuned. Returns the winner if the tuning finds it
    /// within the budget, which began at `start`, and it is not `unusable`. Else returns nullptr,
    /// and `incumbent` is the best answer that the tuning knows by then, or null. Throws the
    /// tuning's error if the default cannot answer either, and Error(unavailable) if the kernel
    /// needs a worker and there is none.
    const Resolved* await_winner(const DispatchKey& key, const Task& task, const Digest& unusable,
                                 Clock::time_point start,
                                 std::unique_ptr<const Resolved>& incumbent);
    /// The comparisons that the database has from this device, driver and compiler, which `reuse`
    /// takes.
    StoredComparisons known_comparisons(const Task& task, Reuse reuse);
    /// Puts an answer into the table, and has its problem recorded and looked after.
    const Resolved& keep(const DispatchKey& key, const Task& task,
                         std::unique_ptr<const Resolved> answer, bool is_new);
    /// Under Options::frozen, counts an answer that is no winner of the table.
    void count_unserved(const Resolved& answer);
    Platform& known(std::atomic<Platform*>& place, PlatformKind kind) {
        Platform* const found = place.load(std::memory_order_acquire);
        return found != nullptr ? *found : find(place, kind);
    }
    Platform& find(std::atomic<Platform*>& place, PlatformKind kind);
    EnginePart& make_part(std::unique_ptr<EnginePart> (*make)(Engine& engine));
    /// Compares the configurations of SearchPlan::compared, and stores one measurement of each.
    TuneReport compare(const Task& task, const SearchPlan& plan, const TuneHooks& hooks);
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
    /// The measurements of earlier searches at the task's sizes, if these have tried enough. Of the
    /// report's winner, the configuration alone is set.
    std::optional<TuneReport> known_search(const Task& task, Reuse reuse);
    /// False if the database did not take them.
    bool store_winners(std::span<const Winner> winners);
    /// For a task whose workload is prepared.
    TuneReport tune_prepared(const Task& task, SearchPlan plan, const TuneHooks& hooks);
    /// Tunes with the plan's history. If no configuration works, tunes again without the history: a
    /// database must not make a tuning fail.
    TuneReport tune_distrustfully(const RecordMaker& record_maker, SearchPlan& plan,
                                  const TuneHooks& hooks);
    TuneReport tune_journalled(const RecordMaker& record_maker, const SearchPlan& plan,
                               TuneHooks hooks);
    /// tries_of() the stored winner that serves the task, if this machine's device, driver and
    /// compiler have tuned it; else 0.
    std::size_t earlier_tries(const RecordMaker& record_maker);
    /// Puts the stored winner into the report if the tuned one has yielded to it.
    void take_kept(const Task& task, TuneReport& report);

    // The members that every call reads stand together, in few cache lines.
    ForkGuard fork_guard_;
    std::atomic<Platform*> cuda_{nullptr}, host_{nullptr};  // set once known to have a device
    const bool keeps_host_data_;
    Options options_;
    Log log_;
    std::vector<std::unique_ptr<Platform>> platforms_;
    std::span<const Family> families_;
    const TimeSource& time_;
    SessionStore store_;
    std::once_flag recovered_;  // the journals of ended processes are in the database
    BinaryCache binaries_;
    Isolation isolation_;
    PauseLedger pauses_;
    std::unique_ptr<WinnerWatch> watch_;
    std::unique_ptr<CallRecorder> recorder_;
    Answers answers_;
    DispatchTable table_;
    DispatchTable makeshifts_;  // defaults that answer until the database can be read
    SingleFlight flights_;
    std::atomic<std::int64_t> tunings_{0};
    std::atomic<std::int64_t> unserved_{0};
    std::atomic<std::int64_t> raced_{0};
    std::atomic<EnginePart*> part_{nullptr};
    std::once_flag part_made_;
    // These use the members above.
    std::unique_ptr<EnginePart> own_part_;
    std::unique_ptr<Background> background_;
};

}  // namespace jitune::internal
