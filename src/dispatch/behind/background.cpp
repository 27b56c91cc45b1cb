// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/background.hpp"

#include <algorithm>

#include "jitune/error.hpp"
#include "tuning/isolation/isolation.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;

constexpr int kLeastPart = 4;  // the least part of a budget, for a tuning that begins late
constexpr int kMostFailures = 3;
constexpr milliseconds kGlance{500};      // between looks for winners of other processes
constexpr milliseconds kTurnGlance{100};  // between looks for idleness

/// True for an error whose reason may pass.
bool may_pass(const Error& error) {
    return error.kind() == ErrorKind::unavailable || error.kind() == ErrorKind::store ||
           error.kind() == ErrorKind::device;
}

}  // namespace

Background::Background(std::span<const Family> families, SessionTuner& tuner, Answers& answers,
                       DispatchTable& table, CallRecorder& recorder)
    : options_(tuner.options()),
      log_(tuner.log()),
      families_(families),
      tuner_(tuner),
      answers_(answers),
      table_(table),
      recorder_(recorder),
      time_(tuner.time()),
      queue_(options_.on_miss, time_),
      turns_(options_, log_, tuner.isolation(), time_),
      thread_(
          {.nice = options_.on_miss == TunePolicy::background ? kBackgroundNice : 0},
          [this] { return work(); },
          [this](const std::system_error& error) {
              log_.warning("no thread for tuning in the background ({}); the next miss tries again",
                           error.what());
          }) {}

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
    const Place near = queue_.hurry_around(*watched);
    if (near != nullptr) {
        thread_.wake();
    }
    return near != nullptr ? near : add(watched);
}

Background::Place Background::add(const Place& watched) {
    return queue_.add(watched) && thread_.wake() ? watched : nullptr;
}

Background::Place Background::hurry(const DispatchKey& key, std::span<const std::int64_t> sizes) {
    Place place;
    if (!is_own_thread() && thread_.is_started()) {
        place = queue_.hurry(key, sizes);
    }
    if (place != nullptr) {
        thread_.wake();
    }
    return place;
}

void Background::stop() {
    queue_.stop();
    end_.request_stop();
    thread_.stop();
}

milliseconds Background::work() {
    bool has_worked = false;
    try {
        has_worked = look_and_tune();
    } catch (const std::exception& error) {  // such as a lack of memory: calls go on without
        log_.info("tuning in the background: {}; the next look tries again", error.what());
    }
    const bool has_next = has_worked && queue_.pending() > 0;
    return has_next ? milliseconds(0) : queue_.has_work() ? kTurnGlance : kGlance;
}

bool Background::look_and_tune() {
    const auto version =
        tuner_.store().ask([](TuningStore& store) { return std::optional(store.version()); });
    if (version) {
        look_for_winners(*version);
        look_for_doubts(*version);
    }
    return (!races_.empty() && turns_.has_worker() && race_next()) || tune_next();
}

void Background::look_for_winners(std::int64_t version) {
    for (const Place& place : queue_.all()) {
        if (queue_.stopped()) {
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

bool Background::wants_turn(const Watched& watched, Clock::time_point now) {
    return watched.due <= now && (watched.wants_tuning || watched.own ||
                                  (watched.is_provisional && turns_.is_quiet(watched.device)));
}

bool Background::tune_next() {
    const auto now = time_.now();
    if (options_.on_miss == TunePolicy::background && queue_.pending() > 0 &&
        !turns_.has_worker()) {
        queue_.refuse_all(std::make_exception_ptr(
            Error(ErrorKind::unavailable, "no worker tunes in the background")));
        return false;
    }
    for (const Place& place : queue_.all()) {
        if (!wants_turn(*place, now) || !is_free(*place) || !turns_.take(place->device)) {
            continue;  // if another process tunes on it, this one looks for winners
        }
        if (place->wants_tuning || !place->own) {
            tune(*place);
        } else {
            widen(*place);
        }
        turns_.worked(place->device);
        turns_.release(place->device);
        return true;
    }
    return false;
}

TuneHooks Background::hooks_for(const Watched& watched, const std::atomic<bool>& stop,
                                CallGap* gap) {
    TuneHooks hooks{.stop = &stop, .given_up = end_.get_token(), .time = &time_};
    hooks.low_priority =
        options_.on_miss == TunePolicy::background || (gap != nullptr && turns_.has_worker());
    if (gap != nullptr && !options_.tune_on_busy_gpu) {
        watched.device.take_launched();
        hooks.has_turn = [this, &watched, gap] { return has_turn(watched, *gap); };
    }
    return hooks;
}

bool Background::has_turn(const Watched& watched, CallGap& gap) {
    constexpr std::chrono::seconds kMostRest{
        10};  // while it holds memory of the device and its lease
    if (watched.is_urgent || gap.look(watched.device.take_launched(), time_.now())) {
        return true;
    }
    if (queue_.gives_way() || gap.rested(time_.now()) >= kMostRest) {
        queue_.give_way();
        throw Error(ErrorKind::unavailable,
                    "a tuning in the background gave way to calls that use its device; it goes on "
                    "when that is idle");
    }
    return false;
}

milliseconds Background::limit_of(std::optional<Clock::time_point> until) const {
    if (!until) {
        return options_.budget;
    }
    const auto left = std::chrono::duration_cast<milliseconds>(*until - time_.now());
    return std::clamp(left, options_.budget / kLeastPart, options_.budget);
}

void Background::tune(Watched& watched) {
    const TuningQueue::Turn turn = queue_.begin(watched);
    CallGap gap;
    try {
        with_task(watched, [&](const Task& task) {
            TuneHooks hooks = hooks_for(watched, queue_.stopped(), turn.is_urgent ? nullptr : &gap);
            hooks.progress = [&](const TuneProgress& progress) {
                queue_.note_incumbent(watched, progress.incumbent);
            };
            Answers::Tuned tuned =
                answers_.tuned(task, watched.winner, limit_of(turn.until), hooks);
            if (tuned.own && tuned.own->around == SizeBox::point(task.problem.sizes)) {
                tuned.own.reset();
            }
            replace(watched, task, std::move(tuned.answer), std::move(tuned.own));
        });
    } catch (const Error& error) {
        if (turn.is_urgent || !queue_.gives_way() || queue_.stopped()) {
            return fail(watched, error, may_pass(error));
        }
        log_.info("{}", error.what());
        queue_.put_off(watched);
    } catch (const std::exception& error) {
        fail(watched, error, true);
    }
}

void Background::widen(Watched& watched) {
    const TuningQueue::Turn turn = queue_.begin_around(watched);
    bool is_done = true;
    CallGap gap;
    try {
        with_task(watched, [&](const Task& task) {
            TuneHooks hooks =
                hooks_for(watched, queue_.gives_way(), turn.is_urgent ? nullptr : &gap);
            hooks.may_compare = [&] {
                return is_free(watched) && (!hooks.has_turn || hooks.has_turn());
            };
            if (auto answer = answers_.widened(task, *turn.own, hooks)) {
                replace(watched, task, std::move(answer));
            } else {
                is_done = false;
            }
        });
    } catch (const std::exception& error) {
        is_done = !queue_.gives_way();
        log_.info("no winners for the sizes around: {}", error.what());
    }
    queue_.end_around(watched, is_done);
}

void Background::fail(Watched& watched, const std::exception& error, bool may_pass) {
    if (queue_.stopped()) {
        return;
    }
    const bool again = may_pass && watched.failures + 1 < kMostFailures;
    if (!watched.is_urgent) {
        log_.warning("{}; {} the answer without tuning stays", error.what(),
                     again ? "until a later try in the background" : "no more tries:");
    }
    queue_.fail(watched, again, std::current_exception());
}

void Background::replace(Watched& watched, const Task& task, std::unique_ptr<const Resolved> answer,
                         std::shared_ptr<const OwnTuning> own) {
    if (!queue_.holds(watched)) {  // gone with an answer of its key that was replaced
        return;                    // calls ask anew
    }
    recorder_.note(task, *answer);
    const Resolved& served = *answer;  // the table keeps it
    if (table_.replace(watched.key, std::move(answer))) {
        ++replaced_;
    }
    queue_.answer(watched, served, std::move(own));
}

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
        tuner_.store().ask([](TuningStore& store) { return store.calls().doubts(); });
    std::erase_if(doubts, [&](const Doubt& doubt) {
        return std::find(lost_races_.begin(), lost_races_.end(), doubt) != lost_races_.end();
    });
    if (doubts.empty()) {
        return;
    }
    for (const Place& place : queue_.all()) {
        if (!place->wants_tuning) {
            add_race(place, doubts);
        }
    }
}

void Background::add_race(const Place& place, std::vector<Doubt>& doubts) {
    with_task(*place, [&](const Task& task) {
        const RecordKey key = task.key();
        const auto row = tuner_.store().ask(
            [&](TuningStore& store) { return store.find(key, task.problem.sizes); });
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
        if (!is_free(watched) || !turns_.take(watched.device)) {
            continue;
        }
        const auto [place, doubt] = std::move(*next);
        races_.erase(next);
        race(*place, doubt);
        turns_.release(place->device);
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
            const TuneHooks hooks{.stop = &queue_.stopped(),
                                  .given_up = end_.get_token(),
                                  .low_priority = true,
                                  .time = &time_};
            const RaceReport report = tuner_.race(task, doubt, hooks);
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
                queue_.tune_again(watched);
            }
        });
    } catch (const std::exception& error) {
        if (!queue_.stopped()) {
            log_.info("a winner in doubt is not raced in this session: {}", error.what());
            lost_races_.push_back(doubt);
        }
    }
}

}  // namespace jitune::internal
