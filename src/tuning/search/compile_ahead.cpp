// SPDX-License-Identifier: Apache-2.0
#include "tuning/search/compile_ahead.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"
#include "support/process_identity.hpp"

namespace jitune::internal {

namespace {

// Each program costs about this much beside its instances, while NVRTC serves one thread of a
// process at a time: instances share a program, as many as keep the other threads from waiting.
// They hold no more, because a program delivers all its instances at its end.
constexpr std::chrono::milliseconds kProgramTime{28};
// A program with more instances would leave other threads idle at the end.
constexpr std::size_t kInstancesPerProgram = 8;
// The first program of each thread is small, so that there is soon a candidate to time.
constexpr std::size_t kFirstInstances = 3;
constexpr std::size_t kMostThreads = 16;
// If no program waits for another, its instances take this many times kProgramTime together.
constexpr std::size_t kWorthItsProgram = 4;

/// Tells an observer of a compile, however it ends.
class BatchScope {
public:
    BatchScope(TuneObserver& observer, std::span<const std::string> configurations)
        : observer_(observer) {
        observer_.compiling(batch_, configurations);
    }
    ~BatchScope() { observer_.compiled(batch_); }
    BatchScope(const BatchScope&) = delete;
    BatchScope& operator=(const BatchScope&) = delete;

private:
    TuneObserver& observer_;
    const std::uint64_t batch_ = next_serial();
};

}  // namespace

CompileAhead::CompileAhead(const Task& task, BinaryCache& binaries, std::size_t threads,
                           TuneObserver& observer)
    : task_(task), binaries_(binaries), observer_(observer) {
    const std::size_t wished = or_usual(threads);
    try {
        for (std::size_t i = 0; i < wished; ++i) {
            threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
        }
    } catch (const std::system_error& error) {  // fewer threads are enough
        if (threads_.empty()) {
            throw Error(ErrorKind::unavailable,
                        fmt::format("cannot start a thread for compiling: {}", error.what()));
        }
    }
}

std::size_t CompileAhead::threads_for(std::size_t tunings) {
    const std::size_t share = std::thread::hardware_concurrency() / tunings;
    return std::clamp(share, std::size_t{1}, kMostThreads);
}

CompileAhead::~CompileAhead() {
    for (std::jthread& thread : threads_) {
        thread.request_stop();
    }
    changed_.notify_all();
    stop_compiles_.request_stop();
}

std::size_t CompileAhead::depth() const {
    // The queue is long because long queues make large programs, which compile faster.
    return 4 * threads_.size() * kInstancesPerProgram;
}

std::size_t CompileAhead::depth_after(std::size_t results) const {
    const std::size_t least = 2 * threads_.size();
    return std::clamp(results, least, least * kInstancesPerProgram);
}

void CompileAhead::submit(std::vector<Wanted> wanted) {
    const std::lock_guard lock(mutex_);
    for (Wanted& candidate : wanted) {
        ++pending_;
        Instance instance = task_.launched_instance(candidate.configuration);
        if (auto known = binaries_.find(task_, instance)) {
            ready_.push_back(
                {candidate.index, std::move(candidate.configuration), std::move(*known)});
            continue;
        }
        // Configurations that differ in their launches alone have the same code: one compile.
        const std::string name =
            fmt::format("{}{}", instance.program(), fmt::join(instance.expressions, ";"));
        if (const auto under_way = compiling_.find(name); under_way != compiling_.end()) {
            under_way->second.push_back(std::move(candidate));
            continue;
        }
        compiling_[name].push_back(std::move(candidate));
        std::string program = instance.program();
        jobs_.push_back({name, std::move(instance), std::move(program)});
    }
    changed_.notify_all();
}

CompiledCandidate CompileAhead::next() {
    return take_first([](const CompiledCandidate&) { return true; });
}

CompiledCandidate CompileAhead::take(std::size_t index) {
    return take_first(
        [index](const CompiledCandidate& candidate) { return candidate.index == index; });
}

CompiledCandidate CompileAhead::take_first(
    const std::function<bool(const CompiledCandidate&)>& wanted) {
    std::unique_lock lock(mutex_);
    auto found = ready_.end();
    const auto is_there = [&] {
        found = std::find_if(ready_.begin(), ready_.end(), wanted);
        return found != ready_.end() || error_ != nullptr;
    };
    if (!is_there()) {  // nothing is being timed: this thread waits for the compilers
        is_paused_ = false;
        changed_.notify_all();
    }
    changed_.wait(lock, is_there);
    if (found == ready_.end()) {
        std::rethrow_exception(error_);
    }
    return take_out(found);
}

CompiledCandidate CompileAhead::take_out(const Ready::iterator& candidate) {
    CompiledCandidate taken = std::move(*candidate);
    ready_.erase(candidate);
    --pending_;
    return taken;
}

std::optional<CompiledCandidate> CompileAhead::next_within(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (ready_.empty() && is_paused_) {
        is_paused_ = false;
        changed_.notify_all();
    }
    changed_.wait_for(lock, patience, [&] { return !ready_.empty() || error_ != nullptr; });
    if (!ready_.empty()) {
        if (late_ && under_way_ == 0) {
            --*late_;
        }
        return take_out(ready_.begin());
    }
    if (error_ != nullptr && !late_) {
        std::rethrow_exception(error_);
    }
    return std::nullopt;
}

void CompileAhead::drop_waiting() {
    const std::lock_guard lock(mutex_);
    for (const Job& job : std::exchange(jobs_, {})) {
        pending_ -= compiling_.at(job.name).size();
        compiling_.erase(job.name);
    }
    late_ = under_way_ > 0 ? kInstancesPerProgram : 0;
}

bool CompileAhead::has_late() {
    const std::lock_guard lock(mutex_);
    return error_ == nullptr && (under_way_ > 0 || (late_ > 0U && !ready_.empty()));
}

void CompileAhead::pause() {
    std::unique_lock lock(mutex_);
    is_paused_ = true;
    changed_.wait(lock, [&] { return under_way_ == 0; });
}

std::size_t CompileAhead::next_instances() const {
    // Each program takes a fair share, so that a short queue still feeds every thread.
    const std::size_t share = (jobs_.size() + threads_.size() - 1) / threads_.size();
    const std::size_t most = programs_ < threads_.size() ? kFirstInstances : kInstancesPerProgram;
    // While they take turns, each program has to last until all other threads have begun theirs.
    const std::chrono::nanoseconds turns =
        kProgramTime * (takes_turns_ ? threads_.size() : kWorthItsProgram);
    const std::size_t enough = instance_time_ * most <= turns
                                   ? most
                                   : static_cast<std::size_t>(turns / instance_time_) + 1;
    return std::min({share, most, enough});
}

/// Instances of one program, the longest waiting first.
std::vector<CompileAhead::Job> CompileAhead::take_jobs(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    std::vector<Job> taken;
    const auto may_begin = [&] { return !jobs_.empty() && !is_paused_; };
    if (changed_.wait(lock, stop, may_begin) && !stop.stop_requested()) {
        const std::size_t wished = next_instances();
        ++under_way_;
        ++programs_;
        const std::string program = jobs_.front().program;
        for (auto job = jobs_.begin(); job != jobs_.end() && taken.size() < wished;) {
            if (job->program == program) {
                taken.push_back(std::move(*job));
                job = jobs_.erase(job);
            } else {
                ++job;
            }
        }
    }
    return taken;
}

void CompileAhead::work(const std::stop_token& stop) {
    // On Linux this sets the nice value of this thread alone. Nothing depends on it, so a failure
    // is ignored.
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + kNiceness);
    try {
        for (std::vector<Job> jobs = take_jobs(stop); !jobs.empty(); jobs = take_jobs(stop)) {
            deliver(jobs, compile(jobs));
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        --under_way_;
        error_ = error_ == nullptr ? std::current_exception() : error_;
        changed_.notify_all();
    }
}

std::vector<CompileOutcome> CompileAhead::compile(const std::vector<Job>& jobs) {
    std::vector<Instance> instances;
    std::vector<std::string> configurations;
    for (const Job& job : jobs) {
        instances.push_back(job.instance);
        const std::lock_guard lock(mutex_);
        for (const Wanted& wanted : compiling_.at(job.name)) {
            configurations.push_back(wanted.configuration.text());
        }
    }
    const BatchScope scope(observer_, configurations);
    CompileCall call{stop_compiles_.get_token()};
    auto outcomes = binaries_.compile(task_, instances, call);
    learn_cost(jobs.size(), call);
    return outcomes;
}

void CompileAhead::learn_cost(std::size_t instances, const CompileCall& call) {
    const std::lock_guard lock(mutex_);
    takes_turns_ = !call.in_own_process;
    // The first programs are few and small, so that the longest instance stands for all of them.
    const std::chrono::nanoseconds time =
        std::max<std::chrono::nanoseconds>(call.processor_time - kProgramTime, {}) / instances;
    instance_time_ = programs_ <= threads_.size() ? std::max(instance_time_, time)
                                                  : (3 * instance_time_ + time) / 4;
}

void CompileAhead::deliver(const std::vector<Job>& jobs,
                           const std::vector<CompileOutcome>& outcomes) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        for (Wanted& wanted : compiling_[jobs[i].name]) {
            ready_.push_back({wanted.index, std::move(wanted.configuration), outcomes[i]});
        }
        compiling_.erase(jobs[i].name);
    }
    --under_way_;
    changed_.notify_all();
}

}  // namespace jitune::internal
