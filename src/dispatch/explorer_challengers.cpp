// SPDX-License-Identifier: Apache-2.0
// Explorer: which configurations are tried, and what makes one ready.
#include <algorithm>
#include <set>
#include <utility>

#include "dispatch/explorer.hpp"
#include "dispatch/session_doubt.hpp"
#include "jitune/error.hpp"
#include "support/utc_text.hpp"

namespace jitune::internal {

std::optional<std::vector<CallArray>> Explorer::arrays_of(const Task& task) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // are copied and read for each try
    auto arrays = call_arrays(task.kernel_template(), task.problem);
    const std::size_t bytes = arrays ? output_bytes(*arrays) : 0;
    return bytes > 0 && bytes <= kMostBytes ? std::move(arrays) : std::nullopt;
}

bool Explorer::is_worth_it(const Place& place) {
    const std::lock_guard lock(mutex_);
    return options_.explore_share * static_cast<double>(place.calls) >= 1;
}

Queue& Explorer::queue_of(Device& device) {
    std::unique_ptr<Queue>& queue = queues_[&device];
    if (queue == nullptr) {
        queue = device.make_queue();
    }
    return *queue;
}

void Explorer::prepare(Place& place) {
    try {
        const Explored& explored = *place.explored;
        const Kernel kernel = make_kernel(families_, explored.spec);
        Task task{explored.device, kernel, explored.problem};
        task.problem.sizes = place.sizes;
        prepare(place, task);
    } catch (const Error& error) {
        log_.info("nothing is tried in calls of {}: {}", place.explored->answer->info.configuration,
                  error.what());
        leave(place);
    }
}

void Explorer::prepare(Place& place, const Task& task) {
    const auto arrays = arrays_of(task);
    if (!arrays || place.explored->answer->is_retired) {
        return leave(place);
    }
    if (!place.next) {
        place.next = find_challengers(place, task);
    }
    while (!place.next->empty()) {
        Task pinned = task;
        pinned.problem.pinned = std::move(place.next->back());
        place.next->pop_back();
        begin_record(place, pinned);
        try {
            auto challenger =
                std::make_unique<Challenger>(task.device, make_(pinned), *arrays, place.sizes);
            const std::lock_guard lock(mutex_);
            place.challenger = std::move(challenger);
            place.state = Place::State::ready;
            return;
        } catch (const Error& error) {
            settle(place, Exploration::kFailed, error.what());
        }
    }
    leave(place);
}

void Explorer::begin_record(Place& place, const Task& pinned) {
    const std::lock_guard lock(mutex_);
    place.tries = {};
    place.record = {};
    place.record.key = pinned.key();
    place.record.sizes = pinned.sizes();
    place.record.configuration = pinned.problem.pinned;
    place.record.winner = place.explored->answer->info.configuration;
    place.record.device_name = pinned.info().name;
    place.record.first_at = place.record.last_at = utc_text();
}

std::vector<std::string> Explorer::find_challengers(const Place& place, const Task& task) {
    if (!ledger_) {
        ledger_ = store_.look([](TuningStore& store) { return store.explorations(); });
    }
    const std::string& winner = place.explored->answer->info.configuration;
    const RecordKey key = task.key();
    const std::string sizes = task.sizes();
    std::set<std::string> out;
    for (const Exploration& known : *ledger_) {
        if (!known.key.is_like(key) || known.sizes != sizes ||
            known.outcome == Exploration::kOpen) {
            continue;
        }
        const bool is_faster = known.outcome == Exploration::kFaster;
        if (known.winner == winner) {
            out.insert(known.configuration);
            if (is_faster) {  // and no race has come to it
                add_doubt(place, known);
                return {};
            }
        } else if (is_faster && known.configuration == winner) {
            out.insert(known.winner);
        }
    }
    const auto row = row_of(store_, place.explored->doubt, place.sizes);
    if (!row) {
        return {};
    }
    std::vector<std::string> found = store_.look([&](TuningStore& store) {
        std::vector<Measurement> rows = store.measurements(row->key);
        if (row->key != key) {  // of another bucket: comparisons at sizes near the calls'
            const std::vector<Measurement> here = store.measurements(key);
            rows.insert(rows.end(), here.begin(), here.end());
        }
        return challengers(rows, *row, out);
    });
    std::reverse(found.begin(), found.end());
    return found;
}

}  // namespace jitune::internal
