// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/report_data.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {

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
