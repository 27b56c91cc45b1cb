// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "range/cost_table.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {

/// The comparisons of a database. Reads the comparisons of each key once. Not thread-safe.
class ComparedTimes {
public:
    /// `store` must outlive it.
    explicit ComparedTimes(TuningStore& store) : store_(store) {}

    /// compared_times() of the winner. Winners that differ only in sizes and configuration share
    /// one table. Throws Error(store).
    const CostTable& of(const Winner& winner);

private:
    TuningStore& store_;
    /// By kernel and the name of the device.
    std::map<std::pair<KernelKey, std::string>, CostTable> tables_;
};

}  // namespace jitune::internal
