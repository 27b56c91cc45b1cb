// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/compared_times.hpp"

#include "dispatch/behind/stored_costs.hpp"

namespace jitune::internal {

const CostTable& ComparedTimes::of(const Winner& winner) {
    const std::pair name(winner.key.kernel_key(), winner.provenance.device_name);
    auto table = tables_.find(name);
    if (table == tables_.end()) {
        table = tables_.emplace(name, compared_times(store_, winner)).first;
    }
    return table->second;
}

}  // namespace jitune::internal
