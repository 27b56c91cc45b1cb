// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "cli/formats/json_file.hpp"
#include "strategy/recorded_space.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// The member of a cache that holds the results: an object with a member for each configuration, or
/// the list of their values if it was read as JsonLimits::table.
constexpr const char* kTableOfKernelTuner = "cache";

/// True for a document as Kernel Tuner's option `cache` writes it: {"device_name", "kernel_name",
/// "problem_size", "tune_params_keys", "tune_params", "objective", "cache": {"16,1":
/// {"block_size_x": 16, "block_size_y": 1, "time": 3.875, "times": […], …}}}.
bool is_kernel_tuner_cache(const ParsedJson& document);

/// The results of such a document. `time` is in milliseconds. "InvalidConfig" is not part of the
/// space; another text, and a number that is not above 0 or from 1e20 on, is a failure. Throws
/// Error(usage) that names the fault and the number of the result, from 0.
RecordedSpace parse_kernel_tuner_cache(const ParsedJson& document);

/// The text of a cache that Kernel Tuner was writing when it ended, closed behind the last whole
/// result. Empty if the text does not look like one.
std::string closed_kernel_tuner_cache(const std::string& text);

/// A cache of Kernel Tuner with `measurements` of one key. Measurements of finals and comparisons,
/// which repeat a configuration, are left out. Figures that jitune does not know, such as the time
/// of compiling, are 0.
std::string kernel_tuner_cache(std::span<const Measurement> measurements);

}  // namespace jitune::internal
