// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/winner_watch.hpp"

#include "dispatch/behind/stored_costs.hpp"
#include "support/message.hpp"
#include "support/utc_text.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostWatched = 10'000;
constexpr std::size_t kMostWatchedPlaces = 10'000;

}  // namespace

bool WinnerWatch::note(const Task& task, const Resolved& answer) {
    if (!options_.watch_winners || options_.database.empty() || answer.winner_at.empty()) {
        return false;
    }
    auto watched = std::make_unique<Watched>();
    watched->answer = &answer;
    Doubt& doubt = watched->doubt;
    doubt.key = task.key();
    doubt.configuration = answer.info.configuration;
    doubt.winner_at = answer.winner_at;
    doubt.kernel_spec = frame(task.kernel.spec);
    doubt.driver = task.info().driver;
    doubt.device_name = task.info().name;
    watched->sizes = task.problem.sizes;
    watched->size_names = task.kernel_template().front_matter().sizes;
    watched->is_of_other_driver = answer.winner_driver != task.info().driver;
    const std::lock_guard lock(mutex_);
    if (watched_.size() == kMostWatched) {
        return false;
    }
    watched->timer = timer_of(task.device);
    if (watched_.try_emplace(&answer, std::move(watched)).second) {
        answer.watch.store(this, std::memory_order_release);
    }
    return true;
}

LaunchTimer* WinnerWatch::timer_of(Device& device) {
    const auto [place, is_new] = timers_.try_emplace(&device);
    if (is_new) {
        place->second = device.make_launch_timer();
    }
    return place->second.get();
}

std::optional<std::size_t> WinnerWatch::place_of(Watched& watched,
                                                 std::span<const std::int64_t> sizes) {
    const auto [found, is_new] =
        numbers_.try_emplace({watched.answer, Sizes(sizes.begin(), sizes.end())}, places_.size());
    if (is_new && places_.size() == kMostWatchedPlaces) {
        numbers_.erase(found);
        return std::nullopt;
    }
    if (is_new) {
        places_.push_back(
            std::unique_ptr<Place>(new Place{&watched, Sizes(sizes.begin(), sizes.end())}));
    }
    return found->second;
}

void WinnerWatch::launch(const Resolved& answer, std::span<const std::int64_t> sizes,
                         const ReadyLaunch& launch, void* const* arrays, Stream stream) {
    LaunchTimer* timer = nullptr;
    std::optional<std::size_t> place;
    {
        const std::lock_guard lock(mutex_);
        Watched& watched = *watched_.at(&answer);
        if (watched.timer != nullptr && !watched.is_doubted) {
            timer = watched.timer;
            place = place_of(watched, sizes);
        }
    }
    if (!place) {
        return launch(arrays, stream);
    }
    ++sampled_;
    timer->launch(launch, arrays, stream, *place);
}

void WinnerWatch::take_times() {
    std::vector<LaunchTimer*> timers;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [device, timer] : timers_) {
            if (timer != nullptr) {
                timers.push_back(timer.get());
            }
        }
    }
    for (LaunchTimer* const timer : timers) {
        const std::vector<LaunchTimer::Time> times = timer->take();
        const std::lock_guard lock(mutex_);
        for (const auto& [tag, ns] : times) {
            if (ns > 0) {
                places_.at(tag)->times.add(ns);
            }
        }
    }
}

std::vector<WinnerWatch::Watched*> WinnerWatch::all_watched() {
    const std::lock_guard lock(mutex_);
    std::vector<Watched*> all;
    for (const auto& [answer, watched] : watched_) {
        all.push_back(watched.get());
    }
    return all;
}

std::vector<WinnerWatch::Place*> WinnerWatch::all_places() {
    const std::lock_guard lock(mutex_);
    std::vector<Place*> all;
    for (const auto& place : places_) {
        all.push_back(place.get());
    }
    return all;
}

std::optional<Winner> WinnerWatch::row_of(const Watched& watched, const Sizes& sizes) {
    auto row = store_.look([&](TuningStore& store) {
        return store.find(watched.doubt.key, sizes, TuningStore::kDispatchWait);
    });
    const bool is_it = row && row->configuration == watched.doubt.configuration &&
                       row->provenance.created_at == watched.doubt.winner_at;
    return is_it ? std::move(row) : std::nullopt;
}

void WinnerWatch::doubt(Watched& watched, const Winner& row, const char* reason,
                        const Sizes& sizes) {
    Doubt& doubt = watched.doubt;
    doubt.key = row.key;
    doubt.sizes = row.sizes;
    doubt.reason = reason;
    doubt.called = coverage_text(std::vector{SizeBox::point(sizes)}, watched.size_names);
    doubt.reports = 1;
    doubt.first_at = doubt.last_at = utc_text();
    doubts_.push_back(doubt);
    ++doubted_;
    {
        const std::lock_guard lock(mutex_);
        watched.is_doubted = true;
    }
    const std::string text =
        fmt::format("the winner {} of {} {} on {} is in doubt: {}", doubt.configuration,
                    doubt.key.kernel, doubt.key.types, doubt.device_name, doubt_sentence(doubt));
    if (!has_warned_) {
        has_warned_ = true;
        log_.warning("{}; `jitune worklist show` lists all such winners", text);
    } else {
        log_.info("{}", text);
    }
}

void WinnerWatch::judge(Place& place) {
    Watched& watched = *place.watched;
    std::optional<Winner> row;
    if (!place.is_known) {
        row = row_of(watched, place.sizes);
        if (row) {
            place.most_ns = store_.look(
                [&](TuningStore& store) { return most_expected_ns(store, *row, place.sizes); });
            place.is_known = true;
        }
    }
    if (!place.most_ns || watched.is_doubted) {
        return place.times.skip();
    }
    const auto served_ns = place.times.judge(*place.most_ns);
    if (!served_ns) {
        return;
    }
    if (!row) {
        row = row_of(watched, place.sizes);
    }
    if (row) {
        watched.doubt.served_ns = *served_ns;
        watched.doubt.expected_ns = *place.most_ns;
        doubt(watched, *row, Doubt::kSlow, place.sizes);
    }
}

std::vector<Doubt> WinnerWatch::judge() {
    take_times();
    for (Watched* const watched : all_watched()) {
        if (!watched->is_of_other_driver || watched->is_doubted) {
            continue;
        }
        watched->is_of_other_driver = false;  // one try: a later session has another
        if (const auto row = row_of(*watched, watched->sizes)) {
            doubt(*watched, *row, Doubt::kDriver, watched->sizes);
        }
    }
    for (Place* const place : all_places()) {
        if (place->times.is_new()) {
            judge(*place);
        }
    }
    return std::exchange(doubts_, {});
}

}  // namespace jitune::internal
