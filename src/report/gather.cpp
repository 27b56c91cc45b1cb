// SPDX-License-Identifier: Apache-2.0
#include "report/report_data.hpp"

#include <algorithm>
#include <utility>

#include "dispatch/behind/stored_costs.hpp"
#include "report/rates.hpp"
#include "report/tried_problem.hpp"
#include "support/loop_clock.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostMaps = 24;
constexpr std::size_t kMostProblems = 12;

using CallsByKey = std::map<KernelKey, std::map<std::int64_t, std::int64_t>>;

/// Recorded calls by kernel and bucket.
CallsByKey calls_of(const std::vector<CallRecord>& usages) {
    CallsByKey calls;
    for (const CallRecord& usage : usages) {
        std::int64_t& sum = calls[usage.key][usage.key.bucket];
        sum = saturating_sum(sum, usage.calls);
    }
    return calls;
}

std::int64_t all_calls(const CallsByKey& calls, const RecordKey& key) {
    std::int64_t sum = 0;
    if (const auto found = calls.find(key); found != calls.end()) {
        for (const auto& [bucket, count] : found->second) {
            sum = saturating_sum(sum, count);
        }
    }
    return sum;
}

std::int64_t calls_at(const CallsByKey& calls, const RecordKey& key) {
    const auto found = calls.find(key);
    if (found == calls.end()) {
        return 0;
    }
    const auto bucket = found->second.find(key.bucket);
    return bucket == found->second.end() ? 0 : bucket->second;
}

template <class Record, class Wants>
std::vector<Record> wanted(std::vector<Record> records, const Wants& wants) {
    std::erase_if(records, [&](const Record& record) { return !wants(record); });
    return records;
}

std::map<KernelKey, std::vector<Sizes>> missed_sizes(const std::vector<CallRecord>& misses) {
    std::map<KernelKey, std::vector<Sizes>> missed;
    for (const CallRecord& miss : misses) {
        if (auto sizes = miss.problem_sizes()) {
            missed[miss.key].push_back(std::move(*sizes));
        }
    }
    return missed;
}

/// Adds a map for each key: those called most first; of equals, those of most winners.
void add_maps(ReportData& data, const CallsByKey& calls, const std::vector<CallRecord>& misses,
              ComparedTimes& times) {
    std::vector<SizeMap> maps;
    for (Coverage& coverage : coverage_of(data.winners)) {
        SizeMap map;
        map.calls = all_calls(calls, coverage.key);
        map.coverage = std::move(coverage);
        maps.push_back(std::move(map));
    }
    std::stable_sort(maps.begin(), maps.end(), [](const SizeMap& left, const SizeMap& right) {
        return std::pair(left.calls, left.coverage.winners.size()) >
               std::pair(right.calls, right.coverage.winners.size());
    });
    data.more_maps = maps.size() - std::min(maps.size(), kMostMaps);
    maps.resize(std::min(maps.size(), kMostMaps));
    auto missed = missed_sizes(misses);
    for (SizeMap& map : maps) {
        const Coverage& coverage = map.coverage;
        const auto& rows = coverage.winners.empty() ? coverage.unsure : coverage.winners;
        if (!rows.empty()) {
            map.device_name = rows.front()->provenance.device_name;
            map.costs = times.of(*rows.front());
        }
        map.missed = wanted(std::move(missed[coverage.key]), [&](const Sizes& sizes) {
            return !covers(coverage.served, sizes);  // else its winner is provisional
        });
    }
    data.maps = std::move(maps);
}

/// The order in which problems are worth to be shown: those called most first, then those with
/// most measurements; of each kernel and its types one before the second of any.
std::vector<StoredMeasurements::Key> by_worth(std::vector<StoredMeasurements::Key> keys,
                                              const CallsByKey& calls) {
    struct Ranked {
        StoredMeasurements::Key key;
        std::int64_t calls;
        std::size_t turn = 0;
    };
    std::vector<Ranked> ranked;
    for (StoredMeasurements::Key& key : keys) {
        const std::int64_t its_calls = calls_at(calls, key.key);
        ranked.push_back({std::move(key), its_calls});
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& left, const Ranked& right) {
        return std::pair(left.calls, left.key.measurements) >
               std::pair(right.calls, right.key.measurements);
    });
    std::map<std::pair<std::string, std::string>, std::size_t> turns;
    for (Ranked& one : ranked) {
        one.turn = turns[{one.key.key.kernel, one.key.key.types}]++;
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& left, const Ranked& right) {
        return left.turn < right.turn;
    });
    std::vector<StoredMeasurements::Key> sorted;
    for (Ranked& one : ranked) {
        sorted.push_back(std::move(one.key));
    }
    return sorted;
}

void add_problems(ReportData& data, const CallsByKey& calls, TuningStore& store,
                  std::vector<StoredMeasurements::Key> keys) {
    std::size_t passed = 0;
    for (const auto& [key, count] : by_worth(std::move(keys), calls)) {
        if (data.problems.size() == kMostProblems) {
            ++data.more_problems;
            continue;
        }
        // Most keys of a range have comparisons alone, which its map shows.
        constexpr std::size_t kMostRead = 4 * kMostProblems;
        if (passed++ < kMostRead) {
            if (auto problem = tried_problem(store.measurements().of(key), data.winners)) {
                problem->calls = calls_at(calls, key);
                data.problems.push_back(std::move(*problem));
            }
        }
    }
}

}  // namespace

ReportData gather_report(TuningStore& store, const std::vector<Winner>& winners,
                         const ReportScope& scope) {
    const auto has_wanted_key = [&](const auto& record) { return scope.wants(record.key); };
    ReportData data;
    data.database = scope.database;
    data.filters = scope.filters;
    data.made_at = utc_text();
    data.ceilings = ceilings_of(winners);
    data.winners = wanted(winners, has_wanted_key);
    const std::vector<CallRecord> usages = wanted(store.calls().uses(), has_wanted_key);
    const std::vector<CallRecord> misses = wanted(store.calls().misses(), has_wanted_key);
    ComparedTimes times(store);
    data.usage = usage_report_of(data.winners, usages, times);
    for (const CallRecord& usage : usages) {
        std::int64_t& sum = data.recorded_on[usage.device_name];
        sum = saturating_sum(sum, usage.calls);
    }
    data.holes = worklist(misses, winners);
    data.pauses = wanted(store.calls().pauses(), [&](const Pause& pause) {
        RecordKey key;
        key.kernel = pause.kernel;
        key.types = pause.types;
        return scope.wants(key);
    });
    data.doubts = wanted(store.calls().doubts(), has_wanted_key);
    data.merges = store.merges().all();
    for (const MergedWinner& one : store.merges().winners()) {
        ++data.merged[one.merge][one.outcome];
    }
    const CallsByKey calls = calls_of(usages);
    add_maps(data, calls, misses, times);
    std::vector<StoredMeasurements::Key> keys = wanted(store.measurements().keys(), has_wanted_key);
    for (const StoredMeasurements::Key& one : keys) {
        data.measurements += one.measurements;
    }
    add_problems(data, calls, store, std::move(keys));
    return data;
}

// A template's file is the kernel's name with an ending for its platform.
TemplateState template_state(const RecordKey& key) {
    TemplateState state = TemplateState::foreign;
    const auto& hashes = template_identities().hashes;
    const std::string prefix = key.kernel + '.';
    for (auto row = hashes.lower_bound(prefix);
         row != hashes.end() && row->first.starts_with(prefix); ++row) {
        if (row->second == key.template_hash) {
            return TemplateState::current;
        }
        state = TemplateState::stale;
    }
    return state;
}

}  // namespace jitune::internal
