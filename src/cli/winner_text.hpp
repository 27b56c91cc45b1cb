// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/json.hpp"
#include "tuner_db/record.hpp"

/// The parts of a winner as a reader of a table or of a report wants them.
namespace jitune::internal {

/// {"rows": 20, "columns": 33}: the half-octaves of a bucket by the names in a sizes_text().
Json half_octaves_json(std::int64_t bucket, std::string_view sizes);

/// "rows=2^10 columns=2^16.5": the middle of that bucket.
std::string bucket_text(std::int64_t bucket, std::string_view sizes);

/// "float32 sum" for "accumulator=float32 element=float32 operation=sum": each name once.
std::string short_types(std::string_view types);

/// "1.52x", or "" if the default has no time.
std::string speed_up_text(const Winner& winner);

/// "99 %: 1.51x to 1.53x", or "" if the interval is unknown.
std::string speed_up_interval_text(const Certainty& certainty);

}  // namespace jitune::internal
