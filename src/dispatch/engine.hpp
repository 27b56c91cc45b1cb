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
#include "dispatch/behind/range_tuning.hpp"
#include "dispatch/behind/session_tuner.hpp"
#include "dispatch/behind/single_flight.hpp"
#include "dispatch/family.hpp"
#include "dispatch/observe/call_recorder.hpp"
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

struct Foretold;  // dispatch/answer/explanation.hpp

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
    /// Error(unavailable) with the reason if the device does not exist.
    Device& device(std::string_view id);

    /// The first GPU, or the host if there is none. Throws Error(unavailable) without either.
    Device& first_device();

    /// The platforms of GPUs and of the host, cheap enough for every call.
    Platform& cuda() { return known(cuda_, PlatformKind::cuda); }
    Platform& host() { return known(host_, PlatformKind::host); }

    /// True if Options::device is the host, where host memory then stays.
    [[nodiscard]] bool keeps_host_data() const { return keeps_host_data_; }

    /// State that a layer above keeps in the engine: one object, made from the engine on first use.
    /// It may use the engine's devices and is destroyed before them.
    template <class Part>
    Part& part() {
        if (void* const made = part_.load(std::memory_order_acquire)) [[likely]] {
            return *static_cast<Part*>(made);
        }
        std::call_once(part_made_, [&] {
            own_part_ = std::make_shared<Part>(*this);
            part_.store(own_part_.get(), std::memory_order_release);
        });
        return *static_cast<Part*>(own_part_.get());
    }

    /// Throws Error(unavailable) with the reason and `advice` if the platform has no device.
    Platform& platform(PlatformKind kind, std::string_view advice = {});

    /// The database, or nullptr if winners are kept in memory only. Opened on first use; if that
    /// fails, the next call tries again.
    TuningStore* store() { return store_.get(); }

    /// What tunes, races and stores for this session.
    SessionTuner& tuner() { return tuner_; }

    /// The answer to a miss in the dispatch table: from the database, else by Options::on_miss. One
    /// thread for each key works, whatever the sizes; other threads that need the same key wait for
    /// it. The result lives as long as the engine. While others hold the database, the template's
    /// default answers, and the next call tries to read again. Under Options::frozen, an answer of
    /// the default is counted.
    const Resolved& resolve(const DispatchKey& key, const Task& task);

    /// What resolve() would answer, by the same sources; they only read the database for that.
    Foretold foretell(const Task& task);

    /// Whether the problem of these sizes waits for a tuning, or is being tuned.
    [[nodiscard]] bool is_pending(const DispatchKey& key,
                                  std::span<const std::int64_t> sizes) const {
        return background_->queue().is_pending(key, sizes);
    }

    /// The answer for a handle, which keeps it: under TunePolicy::background the winner, if the
    /// problem waits for a tuning and has ended it within two budgets; else `answer`, which
    /// resolve() gave.
    const Resolved& prepared(const DispatchKey& key, std::span<const std::int64_t> sizes,
                             const Resolved& answer);

    [[nodiscard]] const DispatchTable& table() const { return table_; }

    /// Throws Error(forked) in a process forked from the one that made the engine.
    void refuse_fork() const { fork_guard_.refuse(); }

private:
    using Clock = TimeSource::Clock;

    /// A call that the table of answers does not serve.
    struct Miss {
        const DispatchKey& key;
        const Task& task;
        Clock::time_point start;  ///< when it came
        bool has_makeshift;
        Digest unusable = {};     ///< a stored winner that cannot be loaded here
        std::string reason = {};  ///< as Resolved::reason
    };
    /// Where the answer to a miss may come from.
    struct Source {
        /// Returns the answer, kept in the table, or nullptr: then the next source is asked.
        const Resolved* (Engine::*answer)(Miss& miss);
        /// Says what `answer` would return, if anything. Null: nobody asks, since the caller has
        /// named the answer.
        std::optional<Foretold> (*foretell)(SessionStore& store, const Options& options,
                                            const Task& task);
    };
    /// In the order in which they are asked; the last one always answers.
    static const Source kSources[];
    const Resolved* from_pinned(Miss& miss);
    const Resolved* from_store(Miss& miss);
    /// Under TunePolicy::now: has the problem tuned. Returns the winner if the tuning finds it
    /// within the budget, which began with the call, and it is not `unusable`; else the best
    /// candidate that the tuning knows by then, if that beats the default. Throws the tuning's
    /// error if the default cannot answer either, and Error(unavailable) if the kernel needs a
    /// worker and there is none.
    const Resolved* from_tuning(Miss& miss);
    const Resolved* from_nearest(Miss& miss);
    const Resolved* from_default(Miss& miss);

    /// As resolve(), for a call that came at `start`, without the ledger of pauses.
    const Resolved& answer(const DispatchKey& key, const Task& task, Clock::time_point start);
    /// The answer by the outcome of a tuning that has not ended within the budget, or nullptr.
    std::unique_ptr<Resolved> from_incumbent(const Task& task, const TuningQueue::Outcome& outcome);
    /// Throws the error of a tuning that `place` had, unless an answer without tuning may serve.
    void explain_failure(const Background::Place& place, const std::exception_ptr& reason);
    /// Puts an answer into the table, and has its problem recorded and looked after. Returns
    /// nullptr for nullptr.
    const Resolved* keep(const Miss& miss, std::unique_ptr<Resolved> answer);
    /// Under Options::frozen, counts an answer that is no winner of the table.
    void count_unserved(const Resolved& answer);
    Platform& known(std::atomic<Platform*>& place, PlatformKind kind) {
        Platform* const found = place.load(std::memory_order_acquire);
        return found != nullptr ? *found : find(place, kind);
    }
    Platform& find(std::atomic<Platform*>& place, PlatformKind kind);
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
    SessionTuner tuner_;
    std::unique_ptr<WinnerWatch> watch_;
    std::unique_ptr<CallRecorder> recorder_;
    Answers answers_;
    DispatchTable table_;
    DispatchTable makeshifts_;  // defaults that answer until the database can be read
    SingleFlight flights_;
    std::atomic<std::int64_t> unserved_{0};
    std::atomic<void*> part_{nullptr};
    std::once_flag part_made_;
    // These use the members above.
    std::shared_ptr<void> own_part_;
    std::unique_ptr<Background> background_;
};

}  // namespace jitune::internal
