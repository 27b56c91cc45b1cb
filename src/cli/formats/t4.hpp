// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "cli/formats/json.hpp"
#include "cli/formats/json_file.hpp"
#include "strategy/recorded_space.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// Reads recorded results in T4, the autotuning community's JSON format for results, as Kernel
/// Tuner and KTT write it (https://github.com/odgaard/TuningSchema). A document of schema 1.0.0 is
/// {"results": [{"configuration": {…},
/// "invalidity": "correct", "measurements": [{"name", "value", "unit"}], "objectives": […]}]}.
///
/// The time of a result is its measurement "time", else its first objective, in the unit that it
/// names (default: milliseconds). A value that is not a positive finite number below 1e20 (Kernel
/// Tuner's mark of a failure) is a failure, and so is an invalidity other than "correct". A result
/// whose invalidity is "constraints" is not part of the space. Of equal configurations the last one
/// counts. Throws Error(usage) that names the fault and the number of the result, from 0.
RecordedSpace parse_t4(const ParsedJson& document);

/// A T4 document of `measurements`, with times in milliseconds. Measurements of finals, which
/// repeat a configuration, are left out.
Json t4_document(std::span<const Measurement> measurements);

}  // namespace jitune::internal
