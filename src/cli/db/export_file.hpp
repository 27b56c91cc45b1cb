// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "cli/formats/json.hpp"
#include "tuner_db/tuning_store.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// The measurements of a key, and the comparisons of the same key with another bucket: a range has
/// sizes of many.
std::vector<Measurement> measurements_to_export(TuningStore& store, const RecordKey& key);

/// The document that `db export` writes: T4, with metadata.jitune (version, key, measurements,
/// comparisons) that holds the measurements to the last bit, those of finals too. All measurements
/// have one key, but for the bucket of some: these are the `comparisons`, which state theirs.
Json export_document(std::span<const Measurement> measurements);

/// The measurements of such a document. Throws Error(usage) with the path: not JSON, a T4 file of
/// another program, which names neither kernel template nor device class, or a measurement that the
/// database would refuse.
std::vector<Measurement> read_export(const std::filesystem::path& path);

}  // namespace jitune::internal
