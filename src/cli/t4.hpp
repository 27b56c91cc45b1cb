// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "cli/json.hpp"
#include "cli/json_file.hpp"
#include "strategy/recorded_space.hpp"
#include "tuner_db/record.hpp"

namespace jitune::internal {

/// A T4 document of the autotuning community (schema 1.0.0): {"results": [{"configuration": {…},
/// "invalidity": "correct", "measurements": [{"name", "value", "unit"}], "objectives": […]}]}.
///
/// The time of a result is its measurement "time", else its first objective, in the unit it names
/// (milliseconds where it names none). Anything but a positive finite number below Kernel Tuner's
/// 1e20 is a failure, as is any invalidity but "correct"; a result that breaks the constraints is
/// no part of the space. Of equal configurations the last counts. Throws Error(usage): what is
/// wrong, with the number of the result from 0.
RecordedSpace parse_t4(const ParsedJson& document);

/// As parse_t4() of a file, plain or gzip. Throws Error(usage) with the path.
RecordedSpace read_t4(const std::filesystem::path& path);

/// `measurements` as a T4 document, times in milliseconds. Finals, which measure a configuration
/// again, are left out.
Json t4_document(std::span<const Measurement> measurements);

}  // namespace jitune::internal
