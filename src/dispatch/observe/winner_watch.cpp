// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/winner_watch.hpp"

#include "dispatch/behind/stored_costs.hpp"
#include "support/loop_clock.hpp"
#include "support/message.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostWatched = 10'000;
constexpr std::size_t kMostWatchedPlaces = 10'000;

}  // namespace

bool WinnerWatch::note(const Task& task, const Resolved& answer) {
    if (!options_.watch_winners || options_.database.empty() || answer.winner_at.empty()) {
        return false;
    }
    Watched watched{};
    watched.answer = &answer;
    watched.sizes = task.problem.sizes;
    watched.size_names = task.kernel_template().front_matter().sizes;
    Doubt& doubt = watched.doubt;
    doubt.key = task.key();
    doubt.configuration = answer.info.configuration;
    doubt.winner_at = answer.winner_at;
    doubt.kernel_spec = frame(task.kernel.spec);
    doubt.driver = task.info().driver;
    doubt.device_name = task.info().name;
    const std::lock_guard lock(mutex_);
    if (watched_.size() == kMostWatched) {
        return false;
    }
    watched.timer = timer_of(task.device);
    const auto [place, is_new] = watched_.try_emplace(&answer, std::move(watched));
    if (is_new) {
        answer.watch.store(this, std::memory_order_release);
        if (answer.winner_driver != task.info().driver) {
            of_other_driver_.push_back(&place->second);
        }
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
        places_.push_back({&watched, Sizes(sizes.begin(), sizes.end())});
    }
    return found->second;
}

void WinnerWatch::launch(const Resolved& answer, std::span<const std::int64_t> sizes,
                         const ReadyLaunch& launch, void* const* arrays, Stream stream) {
    LaunchTimer* timer = nullptr;
    std::optional<std::size_t> place;
    {
        const std::lock_guard lock(mutex_);
        Watched& watched = watched_.at(&answer);
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

std::vector<WinnerWatch::Place*> WinnerWatch::take_times() {
    std::vector<LaunchTimer*> timers;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [device, timer] : timers_) {
            if (timer != nullptr) {
                timers.push_back(timer.get());
            }
        }
    }
    std::vector<Place*> timed;
    for (LaunchTimer* const timer : timers) {
        const std::vector<LaunchTimer::Time> times = timer->take();
        const std::lock_guard lock(mutex_);
        for (const auto& [tag, ns] : times) {
            if (ns > 0) {
                Place& place = places_.at(tag);
                place.times.add(ns);
                timed.push_back(&place);
            }
        }
    }
    return timed;
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
    const std::vector<Place*> timed = take_times();
    std::vector<Watched*> of_other_driver;
    {
        const std::lock_guard lock(mutex_);
        of_other_driver.swap(of_other_driver_);  // a session tries each once
    }
    for (Watched* const watched : of_other_driver) {
        if (const auto row = row_of(*watched, watched->sizes)) {
            doubt(*watched, *row, Doubt::kDriver, watched->sizes);
        }
    }
    for (Place* const place : timed) {
        if (place->times.is_new()) {
            judge(*place);
        }
    }
    return std::exchange(doubts_, {});
}

}  // namespace jitune::internal
