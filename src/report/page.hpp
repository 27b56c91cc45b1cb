// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "report/report_data.hpp"

namespace jitune::internal {

/// No page is larger, whatever the database holds.
inline constexpr std::size_t kMostPageBytes = 1'000'000;

/// The report as one HTML file without anything outside of it. It is also well-formed XML.
std::string report_page(const ReportData& data);

}  // namespace jitune::internal
