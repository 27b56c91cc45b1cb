// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/worker_steps.hpp"

#include <algorithm>
#include <utility>

#include "tuning/isolation/worker_request.hpp"

namespace jitune::internal {

void WorkerSteps::hear(Time now) {
    if (running_.empty()) {
        since_ = now;
    }
}

bool WorkerSteps::take(const std::string& name, MessageReader& reader, Time now) {
    if (name == worker_messages::kCompiling) {
        const std::int64_t number = reader.integer();
        const Batch& batch = (compiles_[number] = {reader.texts(), now}).batch;
        if (batch.size() > 1) {
            share_code_.insert(batch.begin(), batch.end());
        }
    } else if (name == worker_messages::kCompiled) {
        compiles_.erase(reader.integer());
    } else if (name == worker_messages::kPrepare) {
        preparing_ = reader.text();
    } else if (name == worker_messages::kLoad || name == worker_messages::kCheck ||
               name == worker_messages::kTime) {
        run(reader.text(), name == worker_messages::kLoad, now);
    } else {
        return false;
    }
    return true;
}

void WorkerSteps::run(const std::string& configuration, bool loading, Time now) {
    running_ = configuration;
    ran_ += running_ != counted_ ? 1 : 0;  // one candidate loads, is checked and is timed
    counted_ = running_;
    rests_ = false;
    loading_ = loading;
    since_ = now;
}

void WorkerSteps::end_run(Time now) {
    running_.clear();
    since_ = now;
}

void WorkerSteps::rest() {
    running_.clear();
    rests_ = true;
}

std::set<std::string> WorkerSteps::compiling() const {
    std::set<std::string> all;
    for (const auto& [number, compile] : compiles_) {
        all.insert(compile.batch.begin(), compile.batch.end());
    }
    return all;
}

std::vector<WorkerSteps::Batch> WorkerSteps::overdue_batches(Time now, Time limit) const {
    std::vector<Batch> overdue;
    for (const auto& [number, compile] : compiles_) {
        if (now - compile.since > limit) {
            overdue.push_back(compile.batch);
        }
    }
    return overdue;
}

bool WorkerSteps::runs_too_long(Time now, Time limit) const {
    return !running_.empty() && now - since_ > limit;
}

bool WorkerSteps::is_silent(Time now, Time limit) const {
    return running_.empty() && compiles_.empty() && now - since_ > limit;
}

std::optional<TuneProgress::Wait> WorkerSteps::long_wait(Time now,
                                                         const WatchLimits& limits) const {
    const auto wait = [&](std::string subject, Time since,
                          std::chrono::milliseconds limit) -> std::optional<TuneProgress::Wait> {
        const std::chrono::duration<double> spent = now - since;
        if (spent < limits.silent) {
            return std::nullopt;
        }
        return TuneProgress::Wait{std::move(subject), spent.count(),
                                  std::chrono::duration<double>(limit).count()};
    };
    if (!running_.empty()) {
        return wait(running_, since_, limits.candidate);
    }
    const auto oldest = std::min_element(
        compiles_.begin(), compiles_.end(),
        [](const auto& one, const auto& other) { return one.second.since < other.second.since; });
    if (oldest == compiles_.end()) {
        return preparing_.empty() ? std::nullopt
                                  : wait("the worker, " + preparing_, since_, limits.idle);
    }
    const Compile& compile = oldest->second;
    return wait("the compiler of " + compile.batch.front(), compile.since, limits.compile);
}

}  // namespace jitune::internal
