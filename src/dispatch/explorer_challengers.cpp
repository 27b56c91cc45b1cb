// SPDX-License-Identifier: Apache-2.0
// Explorer: which configurations are tried, and what makes one ready.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "dispatch/explorer.hpp"
#include "jitune/error.hpp"
#include "support/message.hpp"
#include "support/utc_text.hpp"

namespace jitune::internal {

namespace {

using std::chrono::seconds;

constexpr seconds kCeased{10};  // calls that have not come for so long are not explored
constexpr seconds kLater{10};   // where the database does not answer

/// Whether a later session may find it otherwise.
bool may_pass_later(const Error& error) {
    return error.kind() != ErrorKind::compile && error.kind() != ErrorKind::usage;
}

}  // namespace

std::optional<std::vector<CallArray>> Explorer::arrays_of(const Task& task) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // are copied and read for each try
    auto arrays = call_arrays(task.kernel_template(), task.problem);
    const std::size_t bytes = arrays ? output_bytes(*arrays) : 0;
    return bytes > 0 && bytes <= kMostBytes ? std::move(arrays) : std::nullopt;
}

Queue& Explorer::queue_of(Device& device) {
    std::unique_ptr<Queue>& queue = queues_[&device];
    if (queue == nullptr) {
        queue = device.make_queue();
    }
    return *queue;
}

void Explorer::tidy() {
    std::vector<std::unique_ptr<Challenger>> unused;  // are freed without the lock
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    for (auto one = places_.begin(); one != places_.end();) {
        Place& place = *one->second;
        const bool is_retired = place.explored->answer->is_retired;
        const bool has_ceased = is_retired || now - place.last_call > kCeased;
        if (has_ceased && place.state == Place::State::warmed && place.ns[Challenger::kWarmed]) {
            place.state = Place::State::ready;
            --flying_;
        }
        if (has_ceased && place.state == Place::State::ready) {
            unused.push_back(std::move(place.challenger));
            place.next->push_back(place.record.configuration);
            place.state = Place::State::waiting;
        }
        const bool is_idle =
            place.state == Place::State::waiting || place.state == Place::State::over;
        one = has_ceased && is_idle && !place.is_new ? places_.erase(one) : std::next(one);
    }
}

Explorer::Place* Explorer::next_place() {
    constexpr std::ptrdiff_t kMostReady = 16;  // each has up to 35 MiB of the device
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    const auto has_challenger = [](const auto& one) { return one.second->challenger != nullptr; };
    if (std::count_if(places_.begin(), places_.end(), has_challenger) >= kMostReady) {
        return nullptr;
    }
    const auto found = std::find_if(places_.begin(), places_.end(), [&](const auto& one) {
        const Place& place = *one.second;
        return place.state == Place::State::waiting && place.due <= now &&
               now - place.last_call <= kCeased && !place.explored->answer->is_retired &&
               options_.explore_share * static_cast<double>(place.calls) >= 1;
    });
    return found == places_.end() ? nullptr : found->second.get();
}

void Explorer::prepare() {
    if (options_.explore_share == 0) {
        return;
    }
    tidy();
    if (Place* const place = next_place()) {
        prepare(*place);
    }
}

void Explorer::prepare(Place& place) {
    try {
        const Explored& explored = *place.explored;
        const Kernel kernel = make_kernel(families_, explored.spec);
        Task task{explored.device, kernel, explored.problem};
        task.problem.sizes = place.sizes;
        prepare(place, task);
    } catch (const Error& error) {
        log_.info("nothing is tried in calls that {} serves: {}",
                  place.explored->answer->info.configuration, error.what());
        leave(place, Place::State::waiting);
    }
}

void Explorer::prepare(Place& place, const Task& task) {
    const auto arrays = arrays_of(task);
    if (arrays && !place.next) {
        place.next = find_challengers(place, task);
        if (!place.next) {
            place.due = Clock::now() + kLater;
            return;
        }
    }
    if (!arrays || place.next->empty()) {
        return leave(place, Place::State::waiting);
    }
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
    } catch (const Error& error) {
        if (may_pass_later(error)) {
            throw;
        }
        settle(place, Exploration::kFailed, error.what());
    }
}

void Explorer::begin_record(Place& place, const Task& pinned) {
    const std::lock_guard lock(mutex_);
    if (place.is_new) {
        fill(place);
        found_.push_back(place.record);
    }
    place.tries = {};
    place.flights = 0;
    place.record = {};
    place.record.key = pinned.key();
    place.record.sizes = pinned.sizes();
    place.record.configuration = pinned.problem.pinned;
    place.record.winner = place.explored->answer->info.configuration;
    place.record.kernel_spec = frame(place.explored->spec);
    place.record.device_name = pinned.info().name;
    place.record.first_at = place.record.last_at = utc_text();
}

std::optional<std::vector<std::string>> Explorer::find_challengers(const Place& place,
                                                                   const Task& task) {
    using Names = std::vector<std::string>;
    const Resolved& answer = *place.explored->answer;
    const std::string& winner = answer.info.configuration;
    const RecordKey key = task.key();
    const std::string sizes = task.sizes();
    return store_.look([&](TuningStore& store) -> std::optional<Names> {
        std::vector<Exploration> ledger = store.explorations();
        ledger.insert(ledger.end(), settled_.begin(), settled_.end());
        std::set<std::string> out;
        for (const Exploration& known : ledger) {
            if (!known.key.is_like(key) || known.sizes != sizes) {
                continue;
            }
            const bool is_faster = known.outcome == Exploration::kFaster;
            if (known.winner == winner && is_faster) {
                return Names();  // a race is to decide first
            }
            if (known.winner == winner && known.is_final()) {
                out.insert(known.configuration);
            } else if (known.configuration == winner &&
                       (is_faster || known.outcome == Exploration::kReplaced)) {
                out.insert(known.winner);
            }
        }
        const auto row = store.find(key, place.sizes);
        if (!row || row->configuration != winner ||
            row->provenance.created_at != answer.winner_at) {
            return Names();  // another one serves by now
        }
        std::vector<Measurement> rows = store.measurements(row->key);
        if (row->key != key) {  // of another bucket: comparisons at sizes near the calls'
            const std::vector<Measurement> here = store.measurements(key);
            rows.insert(rows.end(), here.begin(), here.end());
        }
        Names found = challengers(rows, *row, out);
        std::reverse(found.begin(), found.end());
        return found;
    });
}

}  // namespace jitune::internal
