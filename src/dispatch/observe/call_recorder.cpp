// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/call_recorder.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "support/loop_clock.hpp"
#include "support/message.hpp"

namespace jitune::internal {

namespace {

constexpr std::chrono::milliseconds kSoon{500};  // after a new problem, so that several go together
constexpr std::chrono::seconds kUsual{10};
constexpr std::size_t kMostProblems = 10'000;
constexpr std::size_t kMostBinaries = 256;

}  // namespace

CallRecorder::CallRecorder(const Options& options, const Log& log, SessionStore& store,
                           WinnerWatch& watch)
    : options_(options),
      log_(log),
      store_(store),
      watch_(watch),
      thread_(
          {.settle = kSoon},
          [this] {
              record();
              return kUsual;
          },
          [this](const std::system_error& error) {
              log_.info("no thread for recording calls ({}); they are recorded as the session ends",
                        error.what());
          }) {}

void CallRecorder::note(const Task& task, const Resolved& answer) {
    const bool is_miss = (answer.winner == Digest{} || answer.is_provisional) &&
                         task.problem.pinned.empty() && !task.kernel.spec.empty();
    const bool is_recorded = this->is_recorded() && (options_.record == Record::all || is_miss);
    const bool is_watched = watch_.note(task, answer);
    if (is_recorded) {
        add(task, answer, is_miss);
    } else if (is_watched) {
        thread_.wake();  // perhaps it was made for another driver
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
    thread_.wake();
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
    thread_.wake();
}

void CallRecorder::note_pause(const Task& task, const Resolved& answer,
                              std::chrono::nanoseconds waited) {
    if (waited < kPause) {
        return;
    }
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(waited).count();
    const std::string now = utc_text();
    const Pause pause{task.problem.kernel,
                      types_text(task.problem),
                      task.info().name,
                      to_string(answer.info.origin),
                      1,
                      us,
                      task.sizes(),
                      now,
                      now};
    const std::lock_guard lock(mutex_);
    ++pause_count_;
    if (waited > longest_pause_) {
        longest_pause_ = waited;
        longest_pause_of_ = fmt::format("{}: {}", task.name(), to_string(answer.info.origin));
    }
    const auto [place, is_new] = pauses_.try_emplace(pause.place(), pause);
    if (!is_new) {
        place->second.add(pause);
    }
}

void CallRecorder::report(Counters& counters) const {
    const std::lock_guard lock(mutex_);
    counters.pauses = pause_count_;
    counters.longest_pause = std::chrono::duration_cast<std::chrono::microseconds>(longest_pause_);
    counters.longest_pause_of = longest_pause_of_;
}

void CallRecorder::stop() {
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(stop_, true)) {
            return;
        }
    }
    thread_.stop();
    record();
}

void CallRecorder::record() {
    try {
        while (record_some()) {
        }
    } catch (const std::exception& error) {
        log_.info("cannot record calls: {}", error.what());
    }
}

bool CallRecorder::record_some() {
    const bool is_rest = !unrecorded_.empty() || !unkept_.empty();
    std::vector<Doubt> doubts = watch_.judge();
    unrecorded_.doubts.insert(unrecorded_.doubts.end(), std::make_move_iterator(doubts.begin()),
                              std::make_move_iterator(doubts.end()));
    if (!is_rest) {
        take_new();
    }
    if (unrecorded_.empty() && unkept_.empty()) {
        return false;
    }
    // Not tell(), which warns where the database may only be read. What it refuses stays for the
    // next try as it is, so that nothing is counted twice.
    return store_.ask([&](TuningStore& store) {
        const bool is_writable = !store.is_read_only();
        if (is_writable && !unrecorded_.empty()) {
            store.calls().add(unrecorded_);
        }
        has_doubts_ = has_doubts_ || !unrecorded_.doubts.empty();
        unrecorded_ = {};
        if (is_writable && !unkept_.empty()) {
            store.keep(unkept_);
        }
        unkept_.clear();
        return is_rest;
    });
}

void CallRecorder::take_new() {
    const std::lock_guard lock(mutex_);
    unkept_.swap(binaries_);
    if (!is_recorded()) {
        return;
    }
    take_counts();
    for (auto& [answer, noted] : noted_) {
        take_noted(*answer, noted);
    }
    for (const auto& [place, pause] : std::exchange(pauses_, {})) {
        unrecorded_.pauses.push_back(pause);
    }
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
