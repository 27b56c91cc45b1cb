// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "cli/formats/json.hpp"
#include "strategy/recorded_space.hpp"
#include "tuner_db/winners/record.hpp"

/// Results in the formats of other tuners: T4, the autotuning community's JSON format for results
/// (https://github.com/odgaard/TuningSchema), and the file that Kernel Tuner's option `cache`
/// names.
namespace jitune::internal {

/// The recorded results in a file of either format, plain or gzip; a cache need not be closed. Of
/// equal configurations the last one counts. Throws Error(usage) that names the file, the fault and
/// the number of the result, from 0, and as read_in_python().
RecordedSpace read_recorded(const std::filesystem::path& path);

// Of one key. Measurements of finals and comparisons, which repeat a configuration, are left out.

/// A document in T4, with times in milliseconds.
Json t4_document(std::span<const Measurement> measurements);

/// A cache of Kernel Tuner. Figures that jitune does not know, such as the time of compiling, are
/// 0.
std::string kernel_tuner_cache(std::span<const Measurement> measurements);

}  // namespace jitune::internal
