// SPDX-License-Identifier: Apache-2.0
#include "dispatch/explorer.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "dispatch/session_doubt.hpp"
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
    const std::lock_guard lock(mutex_);
    LaunchTimer* const timer = timer_of(task.device);
    if (timer == nullptr || explored_.size() == kMostAnswers) {
        return false;
    }
    const auto [place, is_new] = explored_.try_emplace(&answer);
    if (is_new) {
        place->second = std::make_unique<Explored>(
            Explored{&answer, task.device, task.kernel.spec, task.problem,
                     task.kernel_template().front_matter().sizes, new_doubt(task, answer), timer});
        answer.explorer.store(this, std::memory_order_release);
    }
    return true;
}

LaunchTimer* Explorer::timer_of(Device& device) {
    const auto [place, is_new] = timers_.try_emplace(&device);
    if (is_new) {
        place->second = device.make_launch_timer();
    }
    return place->second.get();
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
    constexpr double kFirst = 2;  // in calls: nothing is known of its time
    const double calls = options_.explore_share * static_cast<double>(place.calls);
    if (place.timed == 0) {
        return calls >= kFirst;
    }
    const auto timed = static_cast<double>(place.timed);
    return place.spent_ns + place.spent_ns / timed <= calls * place.served_ns / timed;
}

Explorer::Place* Explorer::begin(const Resolved& answer, std::span<const std::int64_t> sizes,
                                 std::int64_t calls) {
    const std::lock_guard lock(mutex_);
    Place* const place = place_of(answer, sizes);
    if (place == nullptr) {
        return nullptr;
    }
    place->calls += calls;
    if (place->state != Place::State::ready || flying_ == kMostFlying || !can_afford(*place)) {
        return nullptr;
    }
    place->state = Place::State::flying;
    ++flying_;
    place->tag = last_tag_ += Challenger::kSteps;
    place->winner_goes_first = place->tries.winner_goes_first();
    place->ns = {};
    place->wall_ns.reset();
    place->failure.clear();
    return place;
}

void Explorer::launch(const Resolved& answer, std::span<const std::int64_t> sizes,
                      std::int64_t calls, const ReadyLaunch& launch, void* const* arrays,
                      Stream stream) {
    Place* const place = begin(answer, sizes, calls);
    if (place == nullptr) {
        return launch(arrays, stream);
    }
    LaunchTimer& timer = *place->explored->timer;
    if (!timer.may_time(stream)) {
        end(*place, Place::State::ready);
        return launch(arrays, stream);
    }
    const auto start = Clock::now();
    try {
        const auto launched = place->challenger->launch(timer, launch, place->winner_goes_first,
                                                        arrays, stream, place->tag);
        ++tries_;
        if (launched.is_timed) {
            const std::lock_guard lock(mutex_);
            place->wall_ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
        } else {
            end(*place, Place::State::landed, launched.failure);
        }
    } catch (...) {
        end(*place, Place::State::landed);
        throw;
    }
    last_try_ = start.time_since_epoch().count();
}

void Explorer::end(Place& place, Place::State state, const std::string& failure) {
    const std::lock_guard lock(mutex_);
    --flying_;
    place.failure = failure;
    place.state = state;
}

void Explorer::take_times() {
    std::vector<LaunchTimer*> timers;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [device, timer] : timers_) {
            if (timer != nullptr) {
                timers.push_back(timer.get());
            }
        }
    }
    std::map<std::uint64_t, double> times;
    for (LaunchTimer* const timer : timers) {
        for (const auto& [tag, ns] : timer->take()) {
            times[tag] = ns;
        }
    }
    const std::lock_guard lock(mutex_);
    for (const auto& [key, place] : places_) {
        if (place->state != Place::State::flying) {
            continue;
        }
        for (std::uint64_t step = 0; step < Challenger::kSteps; ++step) {
            if (const auto found = times.find(place->tag + step); found != times.end()) {
                place->ns.at(step) = found->second;
            }
        }
        if (place->ns[Challenger::kServed] && place->ns[Challenger::kTried] &&
            place->ns[Challenger::kCopied] && place->wall_ns) {
            place->state = Place::State::landed;
            --flying_;
        }
    }
}

std::vector<Explorer::Place*> Explorer::places_in(Place::State state) {
    const std::lock_guard lock(mutex_);
    std::vector<Place*> found;
    for (const auto& [key, place] : places_) {
        if (place->state == state) {
            found.push_back(place.get());
        }
    }
    return found;
}

bool Explorer::work() {
    if (options_.explore_share == 0) {
        return false;
    }
    learn();
    for (Place* const place : places_in(Place::State::ready)) {
        if (place->explored->answer->is_retired) {
            leave(*place);
        }
    }
    for (Place* const place : places_in(Place::State::waiting)) {
        if (is_worth_it(*place)) {
            prepare(*place);
        }
    }
    const std::lock_guard lock(mutex_);
    return !found_.doubts.empty();
}

void Explorer::learn() {
    take_times();
    for (Place* const place : places_in(Place::State::landed)) {
        learn(*place);
    }
}

void Explorer::learn(Place& place) {
    if (!place.failure.empty()) {
        return settle(place, Exploration::kFailed, place.failure);
    }
    const auto& [served, tried, copied] = place.ns;
    if (!served || !tried || !copied) {  // nobody can tell when it ends
        return leave(place);
    }
    std::string difference;
    try {
        difference = place.challenger->compare(queue_of(place.explored->device));
    } catch (const Error& error) {  // the calls will say so
        log_.info("{}", error.what());
        return leave(place);
    }
    PairedTries::Outcome outcome = PairedTries::Outcome::open;
    {
        const std::lock_guard lock(mutex_);
        const double cost_ns = std::max(2 * *tried + *copied, place.wall_ns.value_or(0) - *served);
        ++place.timed;
        place.spent_ns += cost_ns;
        place.served_ns += *served;
        ++place.record.tries;
        place.record.cost_ns += cost_ns;
        if (*served > 0 && *tried > 0) {
            place.tries.add(place.winner_goes_first, *served, *tried);
        }
        place.is_new = true;
        outcome = place.tries.outcome();
        if (difference.empty() && outcome == PairedTries::Outcome::open) {
            place.state = Place::State::ready;
            return;
        }
    }
    if (!difference.empty()) {
        return settle(place, Exploration::kDiffers, difference);
    }
    const bool is_faster = outcome == PairedTries::Outcome::faster;
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
    const bool is_faster = outcome == Exploration::kFaster;
    {
        const std::lock_guard lock(mutex_);
        fill(place);
        place.record.outcome = outcome;
        place.record.reason = reason;
        found_.explorations.push_back(place.record);
        place.state = is_faster ? Place::State::over : Place::State::waiting;
    }
    const Exploration& record = place.record;
    log_.info("tried {} in {} calls of {} at {} that {} served: {}{}{}", record.configuration,
              place.tries.count(), record.key.kernel, record.sizes, record.winner, outcome,
              reason.empty() ? "" : ": ", reason);
    ledger_->push_back(record);
    if (is_faster) {
        add_doubt(place, record);
    }
}

void Explorer::add_doubt(const Place& place, const Exploration& found) {
    const Explored& explored = *place.explored;
    const auto row = row_of(store_, explored.doubt, place.sizes);
    if (!row) {
        return;
    }
    Doubt doubt = explored.doubt;
    complete(doubt, *row, Doubt::kExplored, place.sizes, explored.size_names);
    doubt.served_ns = found.served_ns;
    doubt.expected_ns = found.tried_ns;
    const std::lock_guard lock(mutex_);
    found_.doubts.push_back(std::move(doubt));
}

void Explorer::leave(Place& place) {
    std::unique_ptr<Challenger> over;
    const std::lock_guard lock(mutex_);
    over = std::move(place.challenger);
    place.state = Place::State::over;
}

Explorer::Found Explorer::take() {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, place] : places_) {
        if (place->is_new) {
            fill(*place);
            found_.explorations.push_back(place->record);
            place->record.tries = 0;
            place->record.cost_ns = 0;
        }
    }
    return std::exchange(found_, {});
}

void Explorer::put_back(Found found) {
    const std::lock_guard lock(mutex_);
    found_.explorations.insert(found_.explorations.begin(),
                               std::make_move_iterator(found.explorations.begin()),
                               std::make_move_iterator(found.explorations.end()));
    found_.doubts.insert(found_.doubts.end(), std::make_move_iterator(found.doubts.begin()),
                         std::make_move_iterator(found.doubts.end()));
}

}  // namespace jitune::internal
