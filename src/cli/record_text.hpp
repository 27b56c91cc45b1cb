// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/output.hpp"
#include "tuner_db/record.hpp"

namespace jitune::internal {

Json to_json(const RecordKey& key);
Json to_json(const Provenance& provenance);
/// Without the image. "half_octaves" is the bucket, size by size.
Json to_json(const Winner& winner);
Json to_json(const Measurement& measurement);

/// {"rows": 20, "columns": 33}: what a bucket says of the sizes in a sizes_text().
Json half_octaves_json(std::int64_t bucket, std::string_view sizes);

/// "rows=2^10 columns=2^16.5": the middle of that bucket.
std::string bucket_text(std::int64_t bucket, std::string_view sizes);

/// "float32 sum" of "accumulator=float32 element=float32 operation=sum": each name once.
std::string short_types(std::string_view types);

/// "1.52x", or "" where the default has no time.
std::string speed_up_text(const Winner& winner);

/// "99 %: 1.51x to 1.53x", or "" where that is not known.
std::string speed_up_interval_text(const Certainty& certainty);

}  // namespace jitune::internal
