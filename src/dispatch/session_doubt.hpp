// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dispatch/dispatch_table.hpp"
#include "dispatch/session_store.hpp"
#include "tuner_db/doubt.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// A doubt about the winner that answers the task, without its row and its reason.
Doubt new_doubt(const Task& task, const Resolved& answer);

/// The stored row of the winner that the doubt is about, if it still serves `sizes`.
std::optional<Winner> row_of(SessionStore& store, const Doubt& doubt, const Sizes& sizes);

/// Gives the doubt its row, its reason and the sizes of the calls: it can be stored then.
void complete(Doubt& doubt, const Winner& row, const char* reason, const Sizes& sizes,
              const std::vector<std::string>& size_names);

}  // namespace jitune::internal
