// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/db/winner_filter.hpp"
#include "jitune/options.hpp"

namespace jitune::internal {

/// Throws Error(usage) if the argument of `option` cannot be the file of a report: it is the
/// database, or no file can be made there. So a sweep does not find that out at its end.
void refuse_report_file(const Options& options, const char* option, const std::string& file);

/// As refuse_report_file(), for --report of a sweep. Also refuses standard output, which has the
/// sweep's table, and a sweep without a database.
void refuse_sweep_report(const Options& options, const std::string& file);

/// Makes the report of what the filter leaves of the database, and writes or replaces the file. "-"
/// is standard output. Says where it is and how large, unless `quiet`.
void write_report(const Options& options, const WinnerFilter& filter, const std::string& file,
                  bool quiet);

}  // namespace jitune::internal
