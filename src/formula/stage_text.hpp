// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "formula/stage_work.hpp"

namespace jitune::internal {

/// Bytes of memory that a block of a grid needs to pass its state on: as partials, and as slots.
struct BlockWork {
    std::size_t partial = 0, slots = 0;  ///< 0 without reductions
};

/// As the headers of kernels lay them out: Members, Stored, Slot and SlotGroup.
BlockWork block_work(const StageWork& work);

/// The struct `name` of a stage for jitune_formula.h. A plain one has no members that lanes
/// combine.
std::string device_stage(const StageWork& work, const std::string& name, bool is_plain);

/// The struct `name` of a stage for jitune_host_formula.h.
std::string host_stage(const StageWork& work, const std::string& name);

/// The same for the columns of jitune_host_formula_lines.h.
std::string host_columns_stage(const StageWork& work, const std::string& name);

/// For jitune_formula_lines.h: a struct `name` of what the stages share, and a struct of each
/// stage, `name` and its number.
std::string device_lines(const std::vector<StageWork>& stages, const std::string& name);

/// The members of all stages, each once.
std::vector<StageMember> all_members(const std::vector<StageWork>& stages);

}  // namespace jitune::internal
