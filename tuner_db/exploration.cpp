// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/exploration.hpp"

#include "tuner_db/sum_table.hpp"

namespace jitune::internal {

sqlite::Row Exploration::place() const {
    return {key.kernel,        key.types, key.device_class, key.alignment,
            key.template_hash, sizes,     configuration,    winner};
}

void Exploration::add(const Exploration& later) {
    const std::int64_t all_tries = saturating_sum(tries, later.tries);
    const double all_cost_ns = cost_ns + later.cost_ns;
    const std::string first = first_at;
    *this = later;
    tries = all_tries;
    cost_ns = all_cost_ns;
    first_at = first;
}

}  // namespace jitune::internal
