// SPDX-License-Identifier: Apache-2.0
// The races of Background: winners in doubt are measured again.
#include <algorithm>
#include <utility>

#include "dispatch/behind/background.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

void Background::look_for_doubts(std::int64_t version) {
    const bool has_new_doubts = recorder_.take_doubts();
    const bool is_new = has_new_winner_.exchange(false) || has_new_doubts;
    if (options_.on_miss != TunePolicy::background || !options_.watch_winners ||
        (version == doubts_version_ && !is_new)) {
        return;
    }
    doubts_version_ = version;
    races_.clear();
    std::vector<Doubt> doubts =
        store_.ask([](TuningStore& store) { return store.calls().doubts(); });
    std::erase_if(doubts, [&](const Doubt& doubt) {
        return std::find(lost_races_.begin(), lost_races_.end(), doubt) != lost_races_.end();
    });
    if (doubts.empty()) {
        return;
    }
    for (const Place& place : all()) {
        if (!place->wants_tuning) {
            add_race(place, doubts);
        }
    }
}

void Background::add_race(const Place& place, std::vector<Doubt>& doubts) {
    with_task(*place, [&](const Task& task) {
        const RecordKey key = task.key();
        const auto row =
            store_.ask([&](TuningStore& store) { return store.find(key, task.problem.sizes); });
        const auto found = std::find_if(doubts.begin(), doubts.end(), [&](const Doubt& doubt) {
            return row && doubt.is_about(*row);
        });
        if (found != doubts.end()) {
            races_.emplace_back(place, std::move(*found));
            doubts.erase(found);
        }
    });
}

bool Background::race_next() {
    for (auto next = races_.begin(); next != races_.end(); ++next) {
        Watched& watched = *next->first;
        std::unique_ptr<FileLock>& lock = lock_of(watched.device.info());
        if (!is_free(watched) || !take(lock)) {
            continue;
        }
        const auto [place, doubt] = std::move(*next);
        races_.erase(next);
        race(*place, doubt);
        if (lock != nullptr) {
            lock->release();
        }
        return true;
    }
    return false;
}

void Background::serve_stored(const DispatchKey& near, const Task& task) {
    Digest unknown{};
    auto answer = answers_.stored(task, unknown);
    if (answer == nullptr) {
        return;
    }
    DispatchKey key = near;
    key.bucket = size_bucket(task.problem.sizes);
    const Resolved& served = *answer;
    recorder_.note(task, served);
    watch(key, task, served);
    if (table_.replace(key, std::move(answer))) {
        ++replaced_;
    }
}

void Background::race(Watched& watched, const Doubt& doubt) {
    try {
        with_task(watched, [&](const Task& task) {
            const TuneHooks hooks{
                .stop = &stop_, .given_up = end_.get_token(), .low_priority = true, .time = &time_};
            const RaceReport report = race_(task, doubt, hooks);
            if (auto answer = answers_.stored(task, watched.winner)) {
                replace(watched, task, std::move(answer));
            }
            const auto called = doubt.called_sizes();
            if (report.outcome == RaceReport::Outcome::replaced && called != task.problem.sizes) {
                Task there = task;
                there.problem.sizes = *called;
                serve_stored(watched.key, there);
            }
            if (report.outcome == RaceReport::Outcome::slower) {
                const std::lock_guard lock(mutex_);
                watched.wants_tuning = true;
                count_pending();
                has_news_ = true;
            }
        });
    } catch (const std::exception& error) {
        if (!stop_) {
            log_.info("a winner in doubt is not raced in this session: {}", error.what());
            lost_races_.push_back(doubt);
        }
    }
}

}  // namespace jitune::internal
