// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "cli/output.hpp"
#include "tuner_db/record.hpp"

namespace jitune::internal {

/// What `db export` writes: a T4 document for all, whose metadata hold the measurements as the
/// database has them (metadata.jitune: version, key, measurements), finals too. All are of one key.
Json export_document(std::span<const Measurement> measurements);

/// The measurements of such a document. Throws Error(usage) with the path: no JSON, a T4 file of
/// another program, which does not say what was measured on which device, or a measurement that the
/// database would refuse.
std::vector<Measurement> read_export(const std::filesystem::path& path);

}  // namespace jitune::internal
