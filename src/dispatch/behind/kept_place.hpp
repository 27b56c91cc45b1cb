// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/device.hpp"
#include "tuner_db/winners/binary_table.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// The row under which the database keeps the code of a configuration, whose instance is
/// `instance`: a KeptBinary without compiler and code.
KeptBinary kept_place(const Task& task, const Configuration& configuration,
                      const Instance& instance);

}  // namespace jitune::internal
