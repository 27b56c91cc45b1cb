// SPDX-License-Identifier: Apache-2.0
#include "dispatch/miss_recorder.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "support/message.hpp"
#include "support/signals_blocked.hpp"

namespace jitune::internal {

namespace {

constexpr std::chrono::milliseconds kSoon{500};  // after a new problem, so that several go together
constexpr std::chrono::seconds kUsual{10};
constexpr std::size_t kMostProblems = 10'000;

std::string now_text() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

void MissRecorder::note(const Task& task, const Resolved& answer) {
    if (answer.winner != Digest{} || !task.problem.pinned.empty() || task.kernel.spec.empty() ||
        !options_.record_misses || options_.frozen || options_.database.empty()) {
        return;
    }
    const std::string now = now_text();
    Miss miss{task.key(),
              task.sizes(),
              frame(task.kernel.spec),
              to_string(answer.info.origin),
              answer.info.configuration,
              0,
              1,
              answer.info.device_name,
              now,
              now};
    const std::lock_guard lock(mutex_);
    if (stop_ || noted_.size() == kMostProblems) {
        return;
    }
    noted_.push_back({std::move(miss), &answer});
    start();
    has_news_ = true;
    wake_.notify_one();
}

void MissRecorder::start() {
    if (thread_.joinable()) {
        return;
    }
    const SignalsBlocked blocked;
    try {
        thread_ = std::thread([this] { serve(); });
    } catch (const std::system_error& error) {
        log_.info("no thread for recording misses ({}); they are recorded as the session ends",
                  error.what());
    }
}

void MissRecorder::stop() {
    {
        const std::lock_guard lock(mutex_);
        if (stop_) {
            return;
        }
        stop_ = true;
        wake_.notify_one();
    }
    if (thread_.joinable()) {
        thread_.join();
    }
    record();
}

void MissRecorder::serve() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
        wake_.wait_for(lock, kUsual, [&] { return stop_ || has_news_; });
        if (has_news_) {
            wake_.wait_for(lock, kSoon, [&] { return stop_; });
        }
        has_news_ = false;
        if (stop_) {
            return;  // stop() records the rest
        }
        lock.unlock();
        record();
        lock.lock();
    }
}

void MissRecorder::record() {
    try {
        record_new();
    } catch (const std::exception& error) {
        log_.info("cannot record misses: {}", error.what());
    }
}

void MissRecorder::record_new() {
    std::vector<Miss> fresh;
    std::vector<std::pair<std::size_t, std::int64_t>> counted;  // by place in noted_
    {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < noted_.size(); ++i) {
            const Noted& one = noted_[i];
            // An answer that a prepared handle launches counts once.
            const std::int64_t calls =
                std::max<std::int64_t>(one.answer->calls.load(std::memory_order_relaxed), 1);
            if (calls > one.recorded) {
                Miss miss = one.miss;
                miss.calls = calls - one.recorded;
                miss.sessions = one.recorded == 0 ? 1 : 0;
                miss.last_at = now_text();
                fresh.push_back(std::move(miss));
                counted.emplace_back(i, calls);
            }
        }
    }
    // Not tell(), which warns where the database may only be read.
    const bool done = !fresh.empty() && store_.ask([&](TuningStore& store) {
        if (!store.is_read_only()) {
            store.add_misses(fresh);
        }
        return true;
    });
    const std::lock_guard lock(mutex_);
    for (const auto& [place, calls] : counted) {
        noted_[place].recorded = done ? calls : noted_[place].recorded;
    }
}

}  // namespace jitune::internal
