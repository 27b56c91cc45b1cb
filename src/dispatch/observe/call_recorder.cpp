// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/call_recorder.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include "support/loop_clock.hpp"
#include "support/message.hpp"
#include "support/thread_signals.hpp"

namespace jitune::internal {

namespace {

constexpr std::chrono::milliseconds kSoon{500};  // after a new problem, so that several go together
constexpr std::chrono::seconds kUsual{10};
constexpr std::size_t kMostProblems = 10'000;
constexpr std::size_t kMostBinaries = 256;

}  // namespace

void CallRecorder::note(const Task& task, const Resolved& answer) {
    const bool is_miss = (answer.winner == Digest{} || answer.is_provisional) &&
                         task.problem.pinned.empty() && !task.kernel.spec.empty();
    const bool is_recorded = this->is_recorded() && (options_.record == Record::all || is_miss);
    const bool is_watched = watch_.note(task, answer);
    if (is_recorded) {
        add(task, answer, is_miss);
    } else if (is_watched) {
        const std::lock_guard lock(mutex_);
        start();  // perhaps it was made for another driver
    }
}

void CallRecorder::add(const Task& task, const Resolved& answer, bool is_miss) {
    const std::string now = utc_text();
    Noted noted{{task.key(), task.sizes(), answer.info.configuration, to_string(answer.info.origin),
                 answer.winner_at, 0, 0, answer.info.device_name, now, now},
                task.kernel_template().front_matter().sizes,
                is_miss ? frame(task.kernel.spec) : ""};
    const std::lock_guard lock(mutex_);
    if (stop_ || noted_.size() == kMostProblems ||
        !noted_.try_emplace(&answer, std::move(noted)).second) {
        return;
    }
    if (options_.record == Record::all) {
        answer.counts.store(&counts_, std::memory_order_release);
    }
    start();
}

void CallRecorder::keep(KeptBinary binary) {
    if (options_.frozen || options_.database.empty()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (stop_ || binaries_.size() == kMostBinaries) {
        return;
    }
    binaries_.push_back(std::move(binary));
    start();
}

void CallRecorder::start() {
    has_news_ = true;
    wake_.notify_one();
    if (thread_.joinable() || stop_) {
        return;
    }
    const SignalsBlocked blocked;
    try {
        thread_ = std::thread([this] { serve(); });
    } catch (const std::system_error& error) {
        log_.info("no thread for recording calls ({}); they are recorded as the session ends",
                  error.what());
    }
}

void CallRecorder::stop() {
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

void CallRecorder::serve() {
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

void CallRecorder::record() {
    try {
        record_new();
        keep_new();
    } catch (const std::exception& error) {
        log_.info("cannot record calls: {}", error.what());
    }
}

void CallRecorder::record_new() {
    const bool has_rest = !unrecorded_.empty();
    std::vector<Doubt> doubts = watch_.judge();
    unrecorded_.doubts.insert(unrecorded_.doubts.end(), std::make_move_iterator(doubts.begin()),
                              std::make_move_iterator(doubts.end()));
    if (!has_rest && is_recorded()) {
        take_new();
    }
    if (unrecorded_.empty()) {
        return;
    }
    // Not tell(), which warns if the database may only be read.
    const bool done = store_.ask([&](TuningStore& store) {
        if (!store.is_read_only()) {
            store.calls().add(unrecorded_);
        }
        return true;
    });
    if (!done) {
        return;  // the next try tells the same, so that nothing is counted twice
    }
    if (!unrecorded_.doubts.empty()) {
        has_doubts_ = true;
    }
    unrecorded_ = {};
    if (has_rest) {
        record_new();  // what has come since that rest
    }
}

void CallRecorder::keep_new() {
    const bool has_rest = !unkept_.empty();
    if (!has_rest) {
        const std::lock_guard lock(mutex_);
        unkept_.swap(binaries_);
    }
    const bool done = !unkept_.empty() && store_.ask([&](TuningStore& store) {
        if (!store.is_read_only()) {
            store.keep(unkept_);
        }
        return true;
    });
    if (!done) {
        return;
    }
    unkept_.clear();
    if (has_rest) {
        keep_new();  // what has come since that rest
    }
}

void CallRecorder::take_new() {
    const std::lock_guard lock(mutex_);
    take_counts();
    for (auto& [answer, noted] : noted_) {
        take_noted(*answer, noted);
    }
    unrecorded_.pauses = pauses_.take();
}

void CallRecorder::take_counts() {
    for (CallCounts::Count* const count : counts_.all()) {
        const std::int64_t calls = count->calls.load(std::memory_order_relaxed);
        Noted& noted = noted_.at(count->answer);
        noted.counted += calls;
        if (calls > count->recorded) {
            CallRecord use = noted.use;
            use.sizes = coverage_text(std::vector{SizeBox::point(count->sizes)}, noted.size_names);
            take_calls(std::move(use), calls - count->recorded);
            count->recorded = calls;
        }
    }
}

void CallRecorder::take_noted(const Resolved& answer, Noted& noted) {
    const std::int64_t counted = std::exchange(noted.counted, 0);
    std::int64_t here = answer.calls.load(std::memory_order_relaxed);
    here = counted + here == 0 ? 1 : here;  // an answer that a prepared handle launches counts once
    const std::int64_t calls = counted + here;
    if (!noted.kernel_spec.empty() && calls > noted.recorded) {
        CallRecord miss = noted.use;
        miss.kernel_spec = noted.kernel_spec;
        take_calls(std::move(miss), calls - noted.recorded);
    }
    if (options_.record == Record::all && here > noted.recorded_here) {
        take_calls(noted.use, here - noted.recorded_here);
    }
    noted.recorded = std::max(noted.recorded, calls);
    noted.recorded_here = std::max(noted.recorded_here, here);
}

void CallRecorder::take_calls(CallRecord first, std::int64_t calls) {
    first.calls = calls;
    // Answers that follow each other share a row, which counts the session once.
    first.sessions = places_told_.insert(first.place()).second ? 1 : 0;
    first.last_at = utc_text();
    unrecorded_.calls.push_back(std::move(first));
}

}  // namespace jitune::internal
