// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "cli/output.hpp"
#include "tuner_db/record.hpp"

namespace jitune::internal {

/// The document that `db export` writes: T4, with metadata.jitune (version, key, measurements) that
/// holds the measurements to the last bit, those of finals too. All measurements have one key.
Json export_document(std::span<const Measurement> measurements);

/// The measurements of such a document. Throws Error(usage) with the path: not JSON, a T4 file of
/// another program, which names neither kernel template nor device class, or a measurement that the
/// database would refuse.
std::vector<Measurement> read_export(const std::filesystem::path& path);

}  // namespace jitune::internal
