// SPDX-License-Identifier: Apache-2.0
// Explorer: what calls do, and what is learnt of them.
#include "dispatch/explorer.hpp"

#include <algorithm>
#include <iterator>

#include "jitune/error.hpp"
#include "support/utc_text.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostAnswers = 10'000;
constexpr std::size_t kMostPlaces = 1000;
constexpr int kMostFlying = 4;  // a timer has events for five tries

}  // namespace

bool Explorer::note(const Task& task, const Resolved& answer) {
    if (options_.explore_share == 0 || options_.on_miss != TunePolicy::background ||
        options_.database.empty() || answer.winner_at.empty() || answer.is_provisional ||
        task.kernel.spec.empty() || !task.problem.pinned.empty() || !arrays_of(task)) {
        return false;
    }
    LaunchTimer* const timer = timers_.of(task.device);
    const std::lock_guard lock(mutex_);
    if (timer == nullptr || explored_.size() == kMostAnswers) {
        return false;
    }
    const auto [place, is_new] = explored_.try_emplace(&answer);
    if (is_new) {
        place->second = std::make_unique<Explored>(
            Explored{&answer, task.device, task.kernel.spec, task.problem, timer});
        answer.explorer.store(this, std::memory_order_release);
    }
    return true;
}

Explorer::Place* Explorer::place_of(const Resolved& answer, std::span<const std::int64_t> sizes) {
    std::pair key(&answer, Sizes(sizes.begin(), sizes.end()));
    const auto found = places_.find(key);
    if (found != places_.end() || places_.size() == kMostPlaces) {
        return found == places_.end() ? nullptr : found->second.get();
    }
    auto place = std::make_unique<Place>(Place{explored_.at(&answer).get(), key.second});
    return places_.emplace(std::move(key), std::move(place)).first->second.get();
}

bool Explorer::can_afford(const Place& place) const {
    constexpr double kFirst = 4;  // in calls: nothing is known of its time
    const double calls = options_.explore_share * static_cast<double>(place.calls);
    const double served_ns = place.tries.winner_ns();
    if (place.flown == 0 || served_ns == 0) {
        return calls >= kFirst * static_cast<double>(place.flown + 1);
    }
    const double next_ns = 2 * place.spent_ns / static_cast<double>(place.flown);
    return place.spent_ns + next_ns <= calls * served_ns;
}

Explorer::Place* Explorer::begin(const Resolved& answer, std::span<const std::int64_t> sizes,
                                 std::int64_t calls) {
    const std::lock_guard lock(mutex_);
    Place* const place = place_of(answer, sizes);
    if (place == nullptr) {
        return nullptr;
    }
    place->calls += calls;
    place->last_call = Clock::now();
    if (answer.is_retired.load(std::memory_order_relaxed)) {
        return nullptr;
    }
    if (place->state == Place::State::warmed) {
        place->step = place->tries.winner_is_next() ? Place::Step::serve : Place::Step::challenge;
    } else if (place->state == Place::State::ready && flying_ < kMostFlying && can_afford(*place)) {
        ++flying_;
        place->step = Place::Step::warm_up;
        place->tag = last_tag_ += Challenger::kSteps;
        place->ns = {};
        place->wall_ns = 0;
        place->failure.clear();
    } else {
        return nullptr;
    }
    place->state = Place::State::calling;
    return place;
}

void Explorer::give_up(Place& place) {
    const std::lock_guard lock(mutex_);
    const bool is_first = place.step == Place::Step::warm_up;
    flying_ -= is_first ? 1 : 0;
    place.state = is_first ? Place::State::ready : Place::State::warmed;
}

bool Explorer::launch(const Resolved& answer, std::span<const std::int64_t> sizes,
                      std::int64_t calls, const ReadyLaunch& launch, void* const* arrays,
                      Stream stream) {
    Place* place = nullptr;
    try {
        place = begin(answer, sizes, calls);
    } catch (const std::exception&) {  // too little memory for a try: the call goes on without
    }
    if (place == nullptr) {
        launch(arrays, stream);
        return false;
    }
    LaunchTimer& timer = *place->explored->timer;
    Challenger& challenger = *place->challenger;
    if (!timer.may_time(stream) || !challenger.takes(arrays)) {
        give_up(*place);
        launch(arrays, stream);
        return false;
    }
    const auto start = Clock::now();
    Challenger::Launched launched;
    try {
        switch (place->step) {
            case Place::Step::warm_up:
                launched = challenger.warm_up(timer, launch, arrays, stream, place->tag);
                break;
            case Place::Step::serve:
                launched.is_timed =
                    timer.launch(launch, arrays, stream, place->tag + Challenger::kServed);
                break;
            case Place::Step::challenge:
                launched = challenger.launch(timer, launch, arrays, stream, place->tag);
                break;
        }
    } catch (...) {
        end(*place, {}, 0);
        throw;
    }
    const bool wants_next = place->step == Place::Step::warm_up && launched.is_timed;
    last_try_ = start.time_since_epoch().count();
    end(*place, launched, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
    return wants_next;
}

void Explorer::end(Place& place, const Challenger::Launched& launched, double wall_ns) {
    const std::lock_guard lock(mutex_);
    place.wall_ns += wall_ns;
    place.failure = launched.failure;
    if (!launched.is_timed) {
        --flying_;
        place.state = Place::State::landed;
    } else if (place.step == Place::Step::warm_up) {
        place.state = Place::State::warmed;
    } else {
        place.state = Place::State::flying;
        tries_ += place.step == Place::Step::challenge ? 1 : 0;
    }
}

bool Explorer::is_complete(const Place& place) {
    const bool is_timed = place.step == Place::Step::serve
                              ? place.ns[Challenger::kServed].has_value()
                              : place.ns[Challenger::kTried] && place.ns[Challenger::kCopied];
    return place.ns[Challenger::kWarmed] && is_timed;
}

void Explorer::take_times() {
    std::map<std::uint64_t, double> times;
    for (const auto& [tag, ns] : timers_.take()) {
        times[tag] = ns;
    }
    const std::lock_guard lock(mutex_);
    for (const auto& [key, place] : places_) {
        for (std::uint64_t step = 0; step < Challenger::kSteps; ++step) {
            if (const auto found = times.find(place->tag + step); found != times.end()) {
                place->ns.at(step) = found->second;
            }
        }
        if (place->state == Place::State::flying && is_complete(*place)) {
            place->state = Place::State::landed;
            --flying_;
        }
    }
}

std::vector<Explorer::Place*> Explorer::landed() {
    const std::lock_guard lock(mutex_);
    std::vector<Place*> found;
    for (const auto& [key, place] : places_) {
        if (place->state == Place::State::landed) {
            found.push_back(place.get());
        }
    }
    return found;
}

bool Explorer::learn() {
    if (options_.explore_share == 0) {
        return false;
    }
    take_times();
    for (Place* const place : landed()) {
        learn(*place);
    }
    const std::lock_guard lock(mutex_);
    return std::any_of(found_.begin(), found_.end(),
                       [](const Exploration& one) { return one.outcome == Exploration::kFaster; });
}

void Explorer::add_cost(Place& place) {
    const double device_ns = *place.ns[Challenger::kWarmed] +
                             place.ns[Challenger::kTried].value_or(0) +
                             place.ns[Challenger::kCopied].value_or(0);
    constexpr int kCalls = 2;  // in a try
    const double cost_ns = std::max(device_ns, place.wall_ns - kCalls * place.tries.winner_ns());
    ++place.flown;
    ++place.flights;
    place.spent_ns += cost_ns;
    place.record.cost_ns += cost_ns;
    place.record.tries += place.step == Place::Step::challenge ? 1 : 0;
    place.is_new = true;
}

void Explorer::learn(Place& place) {
    constexpr std::size_t kMostFlights = 4 * PairedTries::kMostRounds;
    if (!place.failure.empty()) {
        return settle(place, Exploration::kFailed, place.failure);
    }
    if (!is_complete(place)) {  // nobody can tell when it ends
        return leave(place, Place::State::landed);
    }
    std::string difference;
    if (place.step == Place::Step::challenge) {
        try {
            difference = place.challenger->compare(queue_of(place.explored->device));
        } catch (const Error& error) {  // the calls will say so
            log_.info("{}", error.what());
            return leave(place, Place::State::landed);
        }
    }
    {
        const std::lock_guard lock(mutex_);
        const bool is_served = place.step == Place::Step::serve;
        const double ns = *place.ns[is_served ? Challenger::kServed : Challenger::kTried];
        if (ns > 0) {
            is_served ? place.tries.add_winner(ns) : place.tries.add_tried(ns);
        }
        add_cost(place);
        if (difference.empty() && place.tries.outcome() == PairedTries::Outcome::open &&
            place.flights < kMostFlights) {
            place.state = Place::State::ready;
            return;
        }
    }
    if (!difference.empty()) {
        return settle(place, Exploration::kDiffers, difference);
    }
    const bool is_faster = place.tries.outcome() == PairedTries::Outcome::faster;
    settle(place, is_faster ? Exploration::kFaster : Exploration::kSlower, "");
}

void Explorer::fill(Place& place) {
    Exploration& record = place.record;
    record.served_ns = place.tries.winner_ns();
    record.tried_ns = place.tries.tried_ns();
    if (place.tries.ratio()) {
        record.ratio_low = place.tries.ratio()->low;
        record.ratio_high = place.tries.ratio()->high;
    }
    record.last_at = utc_text();
    place.is_new = false;
}

void Explorer::settle(Place& place, const char* outcome, const std::string& reason) {
    const std::unique_ptr<Challenger> over = std::move(place.challenger);  // freed without the lock
    {
        const std::lock_guard lock(mutex_);
        fill(place);
        place.record.outcome = outcome;
        place.record.reason = reason;
        found_.push_back(place.record);
        place.state = outcome == Exploration::kFaster ? Place::State::over : Place::State::waiting;
    }
    const Exploration& record = place.record;
    log_.info("{} was tried in calls of {} at {} that {} served: {}{}{}", record.configuration,
              record.key.kernel, record.sizes, record.winner, outcome, reason.empty() ? "" : ": ",
              reason);
    settled_.push_back(record);
}

void Explorer::leave(Place& place, Place::State seen) {
    std::unique_ptr<Challenger> over;
    const std::lock_guard lock(mutex_);
    if (place.state == seen) {
        over = std::move(place.challenger);
        place.state = Place::State::over;
    }
}

std::vector<Exploration> Explorer::take() {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, place] : places_) {
        if (place->is_new) {
            fill(*place);
            found_.push_back(place->record);
            place->record.tries = 0;
            place->record.cost_ns = 0;
        }
    }
    return std::exchange(found_, {});
}

void Explorer::put_back(std::vector<Exploration> found) {
    const std::lock_guard lock(mutex_);
    found_.insert(found_.begin(), std::make_move_iterator(found.begin()),
                  std::make_move_iterator(found.end()));
}

}  // namespace jitune::internal
