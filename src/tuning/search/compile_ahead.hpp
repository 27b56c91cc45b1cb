// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tuning/record/binary_cache.hpp"
#include "tuning/task.hpp"
#include "tuning/tune_hooks.hpp"

namespace jitune::internal {

/// A configuration with its compiled code, or why there is none.
struct CompiledCandidate {
    std::size_t index = 0;  ///< in the search space
    Configuration configuration;
    CompileOutcome outcome;
};

/// Compiles candidates on its own threads while the caller times earlier ones, or in turns with the
/// caller, who calls pause() before timing. Candidates that instantiate the same code are compiled
/// once. Used by one thread.
class CompileAhead {
public:
    /// Compilers add this to their nice value: if cores are few, the thread that checks and times
    /// runs first.
    static constexpr int kNiceness = 5;

    /// Compiles on or_usual() threads. Tells `observer` of each call of the compiler. All that is
    /// referred to must outlive it.
    CompileAhead(const Task& task, BinaryCache& binaries, std::size_t threads = 0,
                 TuneObserver& observer = kNoObserver);

    /// The number of threads for each tuning if `tunings` of them run at the same time on this
    /// machine.
    static std::size_t threads_for(std::size_t tunings);

    /// `threads`; if that is zero, one thread for each core, but at most 16.
    static std::size_t or_usual(std::size_t threads) {
        return threads > 0 ? threads : threads_for(1);
    }

    /// Drops all candidates. Stops the compiles under way, or waits for those that cannot be
    /// stopped.
    ~CompileAhead();

    struct Wanted {
        std::size_t index = 0;
        Configuration configuration;
    };
    void submit(std::vector<Wanted> wanted);

    /// Candidates submitted and not returned yet.
    [[nodiscard]] std::size_t pending() const { return pending_; }

    /// The next compiled candidate; waits for one. Call it only if pending() > 0. Throws the errors
    /// of the compiling threads (Error(unavailable): no compiler).
    CompiledCandidate next();

    /// As next(), for the submitted candidate `index` of the search space.
    CompiledCandidate take(std::size_t index);

    /// As next(). Nothing if no candidate is compiled within `patience`, or if a compile has thrown
    /// after drop_waiting().
    std::optional<CompiledCandidate> next_within(std::chrono::milliseconds patience);

    /// From now on no compile begins. Drops the candidates that wait for one.
    void drop_waiting();

    /// Call it after drop_waiting(). True while a compile is under way, or while there are compiled
    /// candidates that should still be taken. After the last compile, as many as one program may
    /// hold should be taken.
    [[nodiscard]] bool has_late();

    /// Waits for the compiles under way. None begins before next() or take() has to wait for one.
    void pause();

    /// How many candidates should be pending if the strategy does not learn from results.
    [[nodiscard]] std::size_t depth() const;

    /// How many candidates should be pending if each is chosen by the results so far: no more than
    /// there are results, but enough for every thread. With a longer queue, candidates would be
    /// chosen before any result is known.
    [[nodiscard]] std::size_t depth_after(std::size_t results) const;

private:
    struct Job {
        std::string name;  // of the instance, in compiling_
        Instance instance;
        std::string program;  // Instance::program()
    };

    using Ready = std::deque<CompiledCandidate>;
    CompiledCandidate take_first(const std::function<bool(const CompiledCandidate&)>& wanted);
    CompiledCandidate take_out(const Ready::iterator& candidate);
    void work(const std::stop_token& stop);
    std::vector<Job> take_jobs(const std::stop_token& stop);
    /// How many instances the next program should hold.
    [[nodiscard]] std::size_t next_instances() const;
    std::vector<CompileOutcome> compile(const std::vector<Job>& jobs);
    void learn_cost(std::size_t instances, const CompileCall& call);
    void deliver(const std::vector<Job>& jobs, const std::vector<CompileOutcome>& outcomes);

    const Task& task_;
    BinaryCache& binaries_;
    TuneObserver& observer_;
    std::size_t pending_ = 0;

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Job> jobs_;
    std::size_t programs_ = 0;  // whose compile has begun
    /// The processor time for each instance, averaged over the programs so far; the latest count
    /// most.
    std::chrono::nanoseconds instance_time_{0};
    bool takes_turns_ = true;          // whether compiles of several threads wait for each other
    std::size_t under_way_ = 0;        // of these
    std::optional<std::size_t> late_;  // since drop_waiting(): to deliver after the last compile
    bool is_paused_ = false;
    /// The candidates that wait for an instance, by the instance's name.
    std::map<std::string, std::vector<Wanted>> compiling_;
    Ready ready_;
    std::exception_ptr error_;
    std::stop_source stop_compiles_;
    std::vector<std::jthread> threads_;
};

}  // namespace jitune::internal
