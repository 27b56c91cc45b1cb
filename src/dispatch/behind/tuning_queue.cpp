// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/tuning_queue.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kWaitGlance{100};  // between looks at the clock, and for idleness

/// How long to wait before a problem is tried again after so many failures.
seconds pause_after(int failures) {
    return seconds(failures == 1 ? 10 : 60);
}

}  // namespace

bool TuningQueue::add(const Place& place) {
    const std::lock_guard lock(mutex_);
    if (stop_) {
        return false;
    }
    places_.push_back(place);
    return true;
}

TuningQueue::Place TuningQueue::pending_at(const DispatchKey& key,
                                           std::span<const std::int64_t> sizes) const {
    const auto found = std::find_if(places_.begin(), places_.end(), [&](const Place& one) {
        return one->wants_tuning && one->key == key &&
               std::ranges::equal(one->problem.sizes, sizes);
    });
    return found == places_.end() ? nullptr : *found;
}

bool TuningQueue::is_pending(const DispatchKey& key, std::span<const std::int64_t> sizes) const {
    const std::lock_guard lock(mutex_);
    return pending_at(key, sizes) != nullptr;
}

TuningQueue::Place TuningQueue::hurry(const DispatchKey& key, std::span<const std::int64_t> sizes) {
    const std::lock_guard lock(mutex_);
    const Place found = pending_at(key, sizes);
    if (found != nullptr) {
        gives_way_ = true;
        found->is_urgent = true;
        found->error = nullptr;
        found->due = {};
    }
    return found;
}

TuningQueue::Place TuningQueue::around(const Watched& wanted) const {
    const auto found = std::find_if(places_.begin(), places_.end(), [&](const Place& one) {
        return one->own && one->key == wanted.key &&
               one->own->around.contains(wanted.problem.sizes);
    });
    return found == places_.end() ? nullptr : *found;
}

TuningQueue::Place TuningQueue::hurry_around(const Watched& wanted) {
    const std::lock_guard lock(mutex_);
    const Place found = stop_ ? nullptr : around(wanted);
    // The comparisons under way give way, because no call waits for them, unless they are those
    // that were found.
    gives_way_ = gives_way_ || found == nullptr || found.get() != widened_;
    if (found != nullptr) {
        found->is_urgent = true;
        found->until = wanted.until;
        found->due = {};
    }
    return found;
}

TuningQueue::Outcome TuningQueue::wait(const Place& place, std::optional<Clock::time_point> until) {
    std::unique_lock lock(mutex_);
    const auto is_under_way = [&] {
        return place->wants_tuning || (place->own && place->is_urgent);
    };
    const auto is_over = [&] { return stop_ || !is_under_way() || place->error; };
    while (!is_over() && !(until && time_.now() >= *until)) {
        tried_.wait_for(lock, until ? std::min<Clock::duration>(*until - time_.now(), kWaitGlance)
                                    : kWaitGlance);
    }
    return {!is_under_way() && !place->error, place->error, place->incumbent};
}

void TuningQueue::relax(const Place& place) {
    const std::lock_guard lock(mutex_);
    place->is_urgent = false;
    place->until.reset();
}

void TuningQueue::erase(const Watched& watched) {
    std::erase_if(places_, [&](const Place& one) { return one.get() == &watched; });
}

void TuningQueue::forget(const Watched& watched) {
    const std::lock_guard lock(mutex_);
    erase(watched);
}

void TuningQueue::stop() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        gives_way_ = true;
    }
    tried_.notify_all();
}

bool TuningQueue::has_work() const {
    const std::lock_guard lock(mutex_);
    return std::any_of(places_.begin(), places_.end(),
                       [](const Place& one) { return one->wants_tuning || one->own; });
}

int TuningQueue::rank(const Watched& watched) const {
    if (watched.is_urgent) {
        return 0;
    }
    if (!watched.wants_tuning) {
        return watched.own ? 2 : 4;
    }
    return around(watched) != nullptr ? 3 : 1;  // what is found around others may serve this one
}

std::vector<TuningQueue::Place> TuningQueue::all() const {
    const std::lock_guard lock(mutex_);
    std::vector<Place> places = places_;
    std::stable_sort(places.begin(), places.end(),
                     [this](const Place& a, const Place& b) { return rank(*a) < rank(*b); });
    return places;
}

bool TuningQueue::holds(const Watched& watched) const {
    const std::lock_guard lock(mutex_);
    return std::any_of(places_.begin(), places_.end(),
                       [&](const Place& one) { return one.get() == &watched; });
}

std::int64_t TuningQueue::pending() const {
    const std::lock_guard lock(mutex_);
    return std::count_if(places_.begin(), places_.end(),
                         [](const Place& one) { return one->wants_tuning; });
}

TuningQueue::Turn TuningQueue::begin(const Watched& watched) {
    const std::lock_guard lock(mutex_);
    gives_way_ = stop_.load();
    return {watched.is_urgent, watched.until, watched.own};
}

TuningQueue::Turn TuningQueue::begin_around(const Watched& watched) {
    {
        const std::lock_guard lock(mutex_);
        widened_ = &watched;
    }
    return begin(watched);
}

void TuningQueue::note_incumbent(Watched& watched,
                                 const std::optional<TuneProgress::Incumbent>& incumbent) {
    const std::lock_guard lock(mutex_);
    watched.incumbent = incumbent;
}

void TuningQueue::put_off(Watched& watched) {
    const std::lock_guard lock(mutex_);
    watched.due = time_.now() + kWaitGlance;
}

void TuningQueue::fail(Watched& watched, bool again, const std::exception_ptr& error) {
    const std::lock_guard lock(mutex_);
    ++watched.failures;
    watched.due = time_.now() + pause_after(watched.failures);
    watched.wants_tuning = watched.wants_tuning && again;
    watched.is_provisional = watched.is_provisional && again;
    watched.error = error;
    watched.is_urgent = false;
    tried_.notify_all();
}

void TuningQueue::end_around(Watched& watched, bool is_done) {
    const std::lock_guard lock(mutex_);
    widened_ = nullptr;
    if (is_done) {
        watched.own.reset();
        watched.is_urgent = false;
    } else if (!watched.is_urgent) {
        watched.due = time_.now() + kWaitGlance;
    }
    if (is_done && policy_ == TunePolicy::now) {
        erase(watched);
    }
    tried_.notify_all();
}

void TuningQueue::answer(Watched& watched, const Resolved& answer,
                         std::shared_ptr<const OwnTuning> own) {
    const std::lock_guard lock(mutex_);
    watched.winner = answer.winner;
    watched.wants_tuning = false;
    watched.own = std::move(own);
    watched.incumbent.reset();
    watched.is_provisional = answer.is_provisional;
    const auto another_try = time_.now() + pause_after(2);
    watched.due = watched.own == nullptr ? another_try : Clock::time_point();
    if (policy_ == TunePolicy::now) {
        watched.is_urgent = false;
        if (watched.own == nullptr) {
            erase(watched);
        }
    } else {
        std::erase_if(places_, [&](const Place& one) {
            const bool is_replaced =
                one->winner == Digest{} || answer.serves.contains(one->problem.sizes);
            if (one.get() == &watched || one->key != watched.key || !is_replaced) {
                return false;
            }
            one->wants_tuning = false;  // for those that wait for it
            return true;
        });
    }
    tried_.notify_all();
}

void TuningQueue::tune_again(Watched& watched) {
    const std::lock_guard lock(mutex_);
    watched.wants_tuning = true;
}

void TuningQueue::refuse_all(const std::exception_ptr& error) {
    const std::lock_guard lock(mutex_);
    for (const Place& place : places_) {
        place->wants_tuning = false;
        place->error = error;
    }
    tried_.notify_all();
}

}  // namespace jitune::internal
