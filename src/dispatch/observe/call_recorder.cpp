// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/call_recorder.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "support/message.hpp"
#include "support/signals_blocked.hpp"
#include "support/utc_text.hpp"

namespace jitune::internal {

namespace {

constexpr std::chrono::milliseconds kSoon{500};  // after a new problem, so that several go together
constexpr std::chrono::seconds kUsual{10};
constexpr std::size_t kMostProblems = 10'000;
constexpr std::size_t kMostBinaries = 256;

/// The part of a usage that has calls since it was last recorded.
Usage later(const Usage& first, std::int64_t calls, std::int64_t recorded) {
    Usage usage = first;
    usage.calls = calls - recorded;
    usage.sessions = recorded == 0 ? 1 : 0;
    usage.last_at = utc_text();
    return usage;
}

Miss miss_of(const Usage& usage, const std::vector<std::string>& spec) {
    return {usage.key,   usage.sizes,    frame(spec),       usage.origin,   usage.configuration,
            usage.calls, usage.sessions, usage.device_name, usage.first_at, usage.last_at};
}

/// A text that is equal for problems that are one Miss.
std::string problem_text(const Task& task) {
    const RecordKey key = task.key();
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", key.kernel, key.types, key.device_class,
                       key.alignment, key.template_hash, task.sizes());
}

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
        start();
        has_news_ = true;  // perhaps it was made for another driver
        wake_.notify_one();
    }
}

void CallRecorder::add(const Task& task, const Resolved& answer, bool is_miss) {
    const std::string now = utc_text();
    Noted noted{&answer,
                {task.key(), task.sizes(), answer.info.configuration, to_string(answer.info.origin),
                 answer.winner_at, 0, 0, answer.info.device_name, now, now},
                task.kernel_template().front_matter().sizes,
                is_miss ? task.kernel.spec : std::vector<std::string>(),
                is_miss ? problem_text(task) : ""};
    const std::lock_guard lock(mutex_);
    if (stop_ || noted_.size() == kMostProblems ||
        !places_.try_emplace(&answer, noted_.size()).second) {
        return;
    }
    noted_.push_back(std::move(noted));
    if (options_.record == Record::all) {
        answer.counts.store(&counts_, std::memory_order_release);
    }
    start();
    has_news_ = true;
    wake_.notify_one();
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
    has_news_ = true;
    wake_.notify_one();
}

void CallRecorder::start() {
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
    Report report = is_recorded() ? this->report() : Report();
    report.records.doubts = watch_.judge();
    if (report.records.empty()) {
        return;
    }
    // Not tell(), which warns where the database may only be read.
    const bool done = store_.ask([&](TuningStore& store) {
        if (!store.is_read_only()) {
            store.add(report.records);
        }
        return true;
    });
    if (done) {
        remember(report);
        if (!report.records.doubts.empty()) {
            has_doubts_ = true;
        }
    } else {
        pauses_.put_back(report.records.pauses);
        watch_.put_back(std::move(report.records.doubts));
    }
}

void CallRecorder::keep_new() {
    std::vector<KeptBinary> binaries;
    {
        const std::lock_guard lock(mutex_);
        binaries.swap(binaries_);
    }
    if (binaries.empty()) {
        return;
    }
    const bool done = store_.ask([&](TuningStore& store) {
        if (!store.is_read_only()) {
            store.keep(binaries);
        }
        return true;
    });
    if (!done) {
        const std::lock_guard lock(mutex_);
        binaries_.insert(binaries_.begin(), std::make_move_iterator(binaries.begin()),
                         std::make_move_iterator(binaries.end()));
    }
}

CallRecorder::Report CallRecorder::report() {
    const std::lock_guard lock(mutex_);
    Report report;
    const auto counted = add_counts(report);
    for (std::size_t place = 0; place < noted_.size(); ++place) {
        const auto found = counted.find(noted_[place].answer);
        add_noted(report, place, found == counted.end() ? 0 : found->second);
    }
    report.records.pauses = pauses_.take();
    return report;
}

std::unordered_map<const Resolved*, std::int64_t> CallRecorder::add_counts(Report& report) {
    std::unordered_map<const Resolved*, std::int64_t> sums;
    for (CallCounts::Count* const count : counts_.all()) {
        const std::int64_t calls = count->calls.load(std::memory_order_relaxed);
        sums[count->answer] += calls;
        if (calls > count->recorded) {
            const Noted& noted = noted_[places_.at(count->answer)];
            Usage usage = later(noted.usage, calls, count->recorded);
            usage.sizes =
                coverage_text(std::vector{SizeBox::point(count->sizes)}, noted.size_names);
            // Another answer of the same winner may have counted this session.
            const std::string text = fmt::format("{}\n{}\n{}\n{}", noted.problem, usage.sizes,
                                                 usage.configuration, usage.winner_at);
            const bool is_first = report.problems.insert(text).second;
            usage.sessions = is_first && !problems_.contains(text) ? usage.sessions : 0;
            report.records.usages.push_back(std::move(usage));
            report.counts.emplace_back(count, calls);
        }
    }
    return sums;
}

void CallRecorder::add_noted(Report& report, std::size_t place, std::int64_t counted) {
    const Noted& one = noted_[place];
    std::int64_t here = one.answer->calls.load(std::memory_order_relaxed);
    here = counted + here == 0 ? 1 : here;  // an answer that a prepared handle launches counts once
    const std::int64_t calls = counted + here;
    if (calls <= one.recorded) {
        return;
    }
    if (!one.spec.empty()) {
        Miss miss = miss_of(later(one.usage, calls, one.recorded), one.spec);
        const bool is_first = report.problems.insert(one.problem).second;
        miss.sessions = is_first && !problems_.contains(one.problem) ? 1 : 0;
        report.records.misses.push_back(std::move(miss));
    }
    if (options_.record == Record::all && here > one.recorded_here) {
        report.records.usages.push_back(later(one.usage, here, one.recorded_here));
    }
    report.noted.push_back({place, calls, here});
}

void CallRecorder::remember(const Report& report) {
    const std::lock_guard lock(mutex_);
    for (const auto& [place, calls, calls_here] : report.noted) {
        noted_[place].recorded = calls;
        noted_[place].recorded_here = calls_here;
    }
    for (const auto& [count, calls] : report.counts) {
        count->recorded = calls;
    }
    problems_.insert(report.problems.begin(), report.problems.end());
}

}  // namespace jitune::internal
