// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/html.hpp"
#include "report/report_data.hpp"

namespace jitune::internal {

// The sections of the page, as HTML without the heading. Each is a pure function of the data, and
// says itself what it had no room for.

/// Whether calls use the table: hits, fallbacks, time saved, holes, pauses.
std::string use_section(const ReportData& data, Allowance& room);

/// The rates of winners and defaults over the size, against the memory's ceiling.
std::string rate_section(const ReportData& data, Allowance& room);

/// Which winner serves which sizes, and what the others would cost there.
std::string map_section(const ReportData& data, Allowance& room);

/// What searches have tried, problem by problem.
std::string problem_section(const ReportData& data, Allowance& room);

/// The samples of the finalists.
std::string noise_section(const ReportData& data, Allowance& room);

/// Where rows come from, and which of them are stale, provisional or in doubt.
std::string provenance_section(const ReportData& data, Allowance& room);

/// The sentences and figures at the top: whether the table is good.
std::string summary_of(const ReportData& data);

}  // namespace jitune::internal
