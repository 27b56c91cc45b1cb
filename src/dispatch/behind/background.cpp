// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/background.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "jitune/error.hpp"
#include "support/thread_signals.hpp"
#include "tuning/isolation/isolation.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kGlance{500};  // between looks for winners of other processes
constexpr int kLeastPart = 4;         // of a budget, for a tuning that begins late
constexpr int kMostFailures = 3;

/// How long to wait before a problem is tried again after so many failures.
seconds pause_after(int failures) {
    return seconds(failures == 1 ? 10 : 60);
}

/// True for an error whose reason may pass.
bool may_pass(const Error& error) {
    return error.kind() == ErrorKind::unavailable || error.kind() == ErrorKind::store ||
           error.kind() == ErrorKind::device;
}

}  // namespace

void Background::watch(const DispatchKey& key, const Task& task, const Resolved& answer) {
    if (!task.kernel.spec.empty() && task.problem.pinned.empty()) {
        const bool is_winner = answer.winner != Digest{};
        has_new_winner_ = has_new_winner_ || is_winner;
        const auto watched =
            std::make_shared<Watched>(key, task.device, task.kernel.spec, &task.kernel,
                                      task.problem, answer.winner, !is_winner);
        watched->is_provisional = answer.is_provisional;
        add(watched);
    }
}

Background::Place Background::submit(const DispatchKey& key, const Task& task,
                                     const Digest& unusable,
                                     std::optional<Clock::time_point> until) {
    const auto watched = std::make_shared<Watched>(key, task.device, task.kernel.spec, &task.kernel,
                                                   task.problem, unusable, true);
    watched->is_urgent = true;
    watched->until = until;
    if (is_own_thread()) {
        const Place place = add(watched);
        if (place != nullptr) {
            tune(*place);  // what this thread needs in order to tune, it tunes itself
        }
        return place;
    }
    const Place near = hurry_around(*watched);
    return near != nullptr ? near : add(watched);
}

Background::Place Background::add(const Place& watched) {
    const std::lock_guard lock(mutex_);
    if (stop_) {
        return nullptr;
    }
    watched_.push_back(watched);
    count_pending();
    start();
    has_news_ = true;
    wake_.notify_one();
    return thread_.joinable() ? watched : nullptr;
}

Background::Place Background::pending_at(const DispatchKey& key,
                                         std::span<const std::int64_t> sizes) const {
    const auto found = std::find_if(watched_.begin(), watched_.end(), [&](const Place& one) {
        return one->wants_tuning && one->key == key &&
               std::ranges::equal(one->problem.sizes, sizes);
    });
    return found == watched_.end() ? nullptr : *found;
}

bool Background::is_pending(const DispatchKey& key, std::span<const std::int64_t> sizes) const {
    const std::lock_guard lock(mutex_);
    return pending_at(key, sizes) != nullptr;
}

Background::Place Background::hurry(const DispatchKey& key, std::span<const std::int64_t> sizes) {
    const std::lock_guard lock(mutex_);
    const Place found = pending_at(key, sizes);
    if (found == nullptr || !thread_.joinable() || id_ == std::this_thread::get_id()) {
        return nullptr;
    }
    gives_way_ = true;
    found->is_urgent = true;
    found->error = nullptr;
    found->due = {};
    has_news_ = true;
    wake_.notify_one();
    return found;
}

Background::Outcome Background::wait(const Place& place, std::optional<Clock::time_point> until) {
    std::unique_lock lock(mutex_);
    const auto is_under_way = [&] {
        return place->wants_tuning || (place->own && place->is_urgent);
    };
    const auto is_over = [&] { return stop_ || !is_under_way() || place->error; };
    while (!is_over() && !(until && time_.now() >= *until)) {
        tried_.wait_for(lock, until ? std::min<Clock::duration>(*until - time_.now(), kTurnGlance)
                                    : kTurnGlance);
    }
    return {!is_under_way() && !place->error, place->error, place->incumbent};
}

void Background::relax(const Place& place) {
    const std::lock_guard lock(mutex_);
    place->is_urgent = false;
    place->until.reset();
}

void Background::give_up(const Place& place) {
    const std::lock_guard lock(mutex_);
    forget(*place);
}

void Background::start() {
    if (thread_.joinable() || stop_) {
        return;
    }
    const SignalsBlocked blocked;
    try {
        thread_ = std::thread([this] { serve(); });
    } catch (const std::system_error& error) {
        log_.warning("no thread for tuning in the background ({}); the next miss tries again",
                     error.what());
    }
}

void Background::stop() {
    std::thread thread;
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        gives_way_ = true;
        thread = std::move(thread_);
    }
    end_.request_stop();
    wake_.notify_one();
    tried_.notify_all();
    if (thread.joinable()) {
        thread.join();
    }
}

void Background::serve() {
    id_ = std::this_thread::get_id();
    if (options_.on_miss == TunePolicy::background) {
        ::setpriority(PRIO_PROCESS, 0, kBackgroundNice);  // on Linux: of this thread
    }
    std::unique_lock lock(mutex_);
    while (!stop_) {
        const bool has_work = std::any_of(watched_.begin(), watched_.end(), [](const Place& one) {
            return one->wants_tuning || one->own;
        });
        wake_.wait_for(lock, has_work ? kTurnGlance : kGlance, [&] { return stop_ || has_news_; });
        has_news_ = false;
        lock.unlock();
        work();
        lock.lock();
    }
}

void Background::work() {
    try {
        if (!stop_) {
            const auto version =
                store_.ask([](TuningStore& store) { return std::optional(store.version()); });
            if (version) {
                look_for_winners(*version);
                look_for_doubts(*version);
            }
            if (races_.empty() || !has_worker() || !race_next()) {
                tune_next();
            }
        }
    } catch (const std::exception& error) {  // such as a lack of memory: calls go on without
        log_.info("tuning in the background: {}; the next look tries again", error.what());
    }
}

std::vector<Background::Place> Background::all() {
    std::vector<Place> places;
    {
        const std::lock_guard lock(mutex_);
        places = watched_;
        std::stable_sort(places.begin(), places.end(),
                         [this](const Place& a, const Place& b) { return rank(*a) < rank(*b); });
    }
    return places;
}

void Background::count_pending() {
    pending_ = std::count_if(watched_.begin(), watched_.end(),
                             [](const Place& one) { return one->wants_tuning; });
}

void Background::look_for_winners(std::int64_t version) {
    for (const Place& place : all()) {
        if (stop_) {
            return;
        }
        if (place->seen_version != version) {
            look(*place, version);
        }
    }
}

void Background::look(Watched& watched, std::int64_t version) {
    try {
        with_task(watched, [&](const Task& task) {
            if (auto answer = answers_.stored(task, watched.winner)) {
                replace(watched, task, std::move(answer));
            }
        });
        watched.seen_version = version;
    } catch (const Error& error) {
        log_.info("{}; the next look tries again", error.what());
    }
}

bool Background::has_worker() {
    if (!has_worker_) {
        has_worker_ = true;
        try {
            isolation_.require_command();
        } catch (const Error& error) {
            has_worker_ = false;
            if (options_.on_miss == TunePolicy::background) {
                log_.warning("nothing is tuned in the background: {}", error.what());
            }
        }
    }
    return *has_worker_;
}

void Background::tune_next() {
    const auto now = time_.now();
    if (options_.on_miss == TunePolicy::background && pending_ > 0 && !has_worker()) {
        const std::lock_guard lock(mutex_);
        for (const Place& place : watched_) {
            place->wants_tuning = false;
            place->error = std::make_exception_ptr(
                Error(ErrorKind::unavailable, "no worker tunes in the background"));
        }
        count_pending();
        tried_.notify_all();
        return;
    }
    for (const Place& place : all()) {
        if (place->due > now ||
            !(place->wants_tuning || place->own || is_worth_another_try(*place))) {
            continue;
        }
        std::unique_ptr<FileLock>& lock = lock_of(place->device.info());
        if (!is_free(*place) || !take(lock)) {
            continue;  // where another process tunes on it, this one looks for winners
        }
        if (place->wants_tuning || !place->own) {
            tune(*place);
        } else {
            widen(*place);
        }
        uses_[&place->device].worked(time_.now());
        if (lock != nullptr) {
            lock->release();
        }
        const std::lock_guard guard(mutex_);
        count_pending();
        has_news_ = has_news_ || pending_ > 0;
        return;
    }
}

TuneHooks Background::hooks_for(const Watched& watched, const std::atomic<bool>& stop,
                                CallGap* gap) {
    TuneHooks hooks{.stop = &stop, .given_up = end_.get_token(), .time = &time_};
    hooks.low_priority =
        options_.on_miss == TunePolicy::background || (gap != nullptr && has_worker());
    if (gap != nullptr && !options_.tune_on_busy_gpu) {
        watched.device.take_launched();
        hooks.has_turn = [this, &watched, gap] { return has_turn(watched, *gap); };
    }
    return hooks;
}

void Background::tune(Watched& watched) {
    milliseconds limit = options_.budget;
    bool is_urgent = false;
    {
        const std::lock_guard lock(mutex_);
        is_urgent = watched.is_urgent;
        gives_way_ = stop_.load();
        if (watched.until) {
            const auto left =
                std::chrono::duration_cast<milliseconds>(*watched.until - time_.now());
            limit = std::clamp(left, options_.budget / kLeastPart, options_.budget);
        }
    }
    CallGap gap;
    try {
        with_task(watched, [&](const Task& task) {
            TuneHooks hooks = hooks_for(watched, stop_, is_urgent ? nullptr : &gap);
            hooks.progress = [&](const TuneProgress& progress) {
                const std::lock_guard lock(mutex_);
                watched.incumbent = progress.incumbent;
            };
            Answers::Tuned tuned = answers_.tuned(task, watched.winner, limit, hooks);
            if (tuned.own && tuned.own->around == SizeBox::point(task.problem.sizes)) {
                tuned.own.reset();
            }
            replace(watched, task, std::move(tuned.answer), std::move(tuned.own));
        });
    } catch (const Error& error) {
        if (is_urgent || !gives_way_ || stop_) {
            return fail(watched, error, may_pass(error));
        }
        log_.info("{}", error.what());
        const std::lock_guard lock(mutex_);
        watched.due = time_.now() + kTurnGlance;
    } catch (const std::exception& error) {
        fail(watched, error, true);
    }
}

void Background::fail(Watched& watched, const std::exception& error, bool may_pass) {
    if (stop_) {
        return;
    }
    const bool again = may_pass && watched.failures + 1 < kMostFailures;
    if (!watched.is_urgent) {
        log_.warning("{}; {} the answer without tuning stays", error.what(),
                     again ? "until a later try in the background" : "no more tries:");
    }
    const std::lock_guard lock(mutex_);
    ++watched.failures;
    watched.due = time_.now() + pause_after(watched.failures);
    watched.wants_tuning = watched.wants_tuning && again;
    watched.is_provisional = watched.is_provisional && again;
    watched.error = std::current_exception();
    watched.is_urgent = false;
    tried_.notify_all();
}

void Background::forget(const Watched& watched) {
    std::erase_if(watched_, [&](const Place& one) { return one.get() == &watched; });
    count_pending();
}

void Background::replace(Watched& watched, const Task& task, std::unique_ptr<const Resolved> answer,
                         std::shared_ptr<const OwnTuning> own) {
    const std::lock_guard lock(mutex_);
    const bool gone = std::none_of(watched_.begin(), watched_.end(),
                                   [&](const Place& one) { return one.get() == &watched; });
    if (gone) {  // with an answer of its key that was replaced; calls ask anew
        return;
    }
    watched.winner = answer->winner;
    watched.wants_tuning = false;
    watched.own = std::move(own);
    watched.incumbent.reset();
    watched.is_provisional = answer->is_provisional;
    const auto another_try = time_.now() + pause_after(2);
    watched.due = watched.own == nullptr ? another_try : Clock::time_point();
    const SizeBox serves = answer->serves;
    recorder_.note(task, *answer);
    if (table_.replace(watched.key, std::move(answer))) {
        ++replaced_;
    }
    if (options_.on_miss == TunePolicy::now) {
        watched.is_urgent = false;
        if (watched.own == nullptr) {
            forget(watched);
        }
    } else {
        // Calls for other sizes that the replaced answers served find no answer, and their problems
        // come here again.
        std::erase_if(watched_, [&](const Place& one) {
            const bool is_replaced = one->winner == Digest{} || serves.contains(one->problem.sizes);
            if (one.get() == &watched || one->key != watched.key || !is_replaced) {
                return false;
            }
            one->wants_tuning = false;  // for those that wait for it
            return true;
        });
    }
    count_pending();
    tried_.notify_all();
}

}  // namespace jitune::internal
