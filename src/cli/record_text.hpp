#pragma once

#include <string>
#include <string_view>

#include "cli/output.hpp"
#include "tuner_db/record.hpp"

namespace jitune {

Json to_json(const RecordKey& key);
Json to_json(const Provenance& provenance);
/// Without the image.
Json to_json(const Winner& winner);
Json to_json(const Measurement& measurement);

/// "float32 sum" of "accumulator=float32 element=float32 operation=sum": each name once.
std::string short_types(std::string_view types);

/// "1.52x", or "" where the default has no time.
std::string speed_up_text(const Winner& winner);

}  // namespace jitune
