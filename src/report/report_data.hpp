// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/observe/usage_report.hpp"
#include "measure/conditions.hpp"
#include "range/cost_table.hpp"
#include "sweep/work_order.hpp"
#include "tuner_db/tuning_store.hpp"
#include "tuner_db/winners/coverage.hpp"

namespace jitune::internal {

/// The winners of one key and what comparisons say of them.
struct SizeMap {
    Coverage coverage;  ///< points into ReportData::winners
    CostTable costs;
    std::string device_name;    ///< of the comparisons
    std::vector<Sizes> missed;  ///< calls that no winner serves
    std::int64_t calls = 0;     ///< recorded, of winners
};

/// A configuration that a search has tried.
struct TriedCandidate {
    std::string configuration;
    Verdict verdict = Verdict::timed;
    double ns = 0;  ///< 0: it was not timed
    std::string reason;
};

/// A configuration in the finals, with its samples in the order taken.
struct FinalStrip {
    std::string configuration;
    std::vector<double> samples_ns;
    double median_ns = 0;
    double uncertainty = 0;
    Conditions conditions;
};

/// What was tried at one exact size.
struct TriedProblem {
    RecordKey key;
    std::string sizes;
    std::string device_name;
    std::int64_t calls = 0;                  ///< recorded, of the key
    std::vector<TriedCandidate> candidates;  ///< in the order tried
    std::vector<FinalStrip> finals;          ///< fastest first
    std::optional<Winner> winner;            ///< that was tuned there
};

/// The fastest that the memory of a device class was seen or is known to be, in GB/s.
struct Ceiling {
    std::optional<double> peak;  ///< by the clock and bus that the device class names
    std::optional<double>
        measured;             ///< the best of the winners that read more than the caches hold
    std::string measured_at;  ///< "reduce float32 sum n=1073741824"
};

/// All that a report shows: a copy, of which the rows of measurements are few.
struct ReportData {
    std::string database;
    std::string filters;  ///< as they were given; empty: none
    std::string made_at;  ///< UTC
    std::vector<Winner> winners;
    UsageReport usage;
    std::map<std::string, std::int64_t> recorded_on;  ///< calls by the device's name
    std::vector<WorkItem> holes;
    std::vector<Pause> pauses;
    std::vector<Doubt> doubts;
    std::vector<Merge> merges;  ///< the last one first, whatever the filters
    std::map<std::int64_t, std::map<std::string, std::int64_t>>
        merged;                               ///< winners by merge and by what has become of them
    std::map<std::string, Ceiling> ceilings;  ///< by device class
    std::vector<SizeMap> maps;                ///< those called most first
    std::size_t more_maps = 0;
    std::vector<TriedProblem> problems;  ///< those called most first
    std::size_t more_problems = 0;
    std::int64_t measurements = 0;  ///< in the database, of what the filters leave
};

/// Whether this build asks for rows of a template. `foreign`: the kernel is none of its own, so it
/// cannot know.
enum class TemplateState { current, stale, foreign };

TemplateState template_state(const RecordKey& key);

/// What of a database a report is about.
struct ReportScope {
    std::string database;  ///< its name on the page
    std::string filters;
    /// Whether a row with this key belongs to it. The device class of pauses is not known: it is
    /// empty in the keys that are made for them.
    std::function<bool(const RecordKey& key)> wants;
};

/// Reads what a report shows. `winners` are all of the database. Reads the measurements of a
/// bounded number of problems alone, and the comparisons of a bounded number of keys. Throws
/// Error(store).
ReportData gather_report(TuningStore& store, const std::vector<Winner>& winners,
                         const ReportScope& scope);

}  // namespace jitune::internal
