// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/formats/json.hpp"
#include "sweep/work_order.hpp"

namespace jitune::internal {

/// {"worklist": [...]}: the fields of each miss, its kernel's spec as a list of texts, and the
/// estimates of its item.
Json worklist_json(std::span<const WorkItem> items);

/// The misses of such a document; estimates are not read, and buckets are made from the sizes.
/// Throws Error(usage) with the path for any other file, and with the place in the list for a miss
/// that the database would refuse or whose code this build knows as another kernel's.
std::vector<CallRecord> read_worklist(const std::filesystem::path& path);
/// Reads the misses from the text of such a file. Messages name `path`. Throws as above.
std::vector<CallRecord> misses_of(const std::string& text, const std::string& path);

}  // namespace jitune::internal
