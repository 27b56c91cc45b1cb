// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "report/report_data.hpp"
#include "support/embedded.hpp"

namespace jitune::internal {

/// No page is larger, whatever the database holds.
inline constexpr std::size_t kMostPageBytes = 1'000'000;

/// "sha256-…" as a Content-Security-Policy names a style or script by its text.
std::string content_hash(const embedded::File& file);

/// The report as one HTML file without anything outside of it. It is also well-formed XML.
std::string report_page(const ReportData& data);

}  // namespace jitune::internal
