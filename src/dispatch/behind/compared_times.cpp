// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/compared_times.hpp"

#include <fmt/format.h>

#include "dispatch/behind/stored_costs.hpp"

namespace jitune::internal {

const CostTable& ComparedTimes::of(const Winner& winner) {
    const std::string name = fmt::format(
        "{}\n{}\n{}\n{}\n{}\n{}", winner.key.kernel, winner.key.types, winner.key.alignment,
        winner.key.template_hash, winner.key.device_class, winner.provenance.device_name);
    auto table = tables_.find(name);
    if (table == tables_.end()) {
        table = tables_.emplace(name, compared_times(store_, winner)).first;
    }
    return table->second;
}

}  // namespace jitune::internal
