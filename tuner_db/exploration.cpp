// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/exploration.hpp"

#include <utility>

#include "tuner_db/sum_table.hpp"

namespace jitune::internal {

sqlite::Row Exploration::place() const {
    return {key.kernel,        key.types, key.device_class, key.alignment,
            key.template_hash, sizes,     configuration,    winner};
}

void Exploration::add(const Exploration& later) {
    Exploration sum = is_final() || (outcome == kFaster && later.outcome == kOpen) ? *this : later;
    sum.tries = saturating_sum(tries, later.tries);
    sum.cost_ns = cost_ns + later.cost_ns;
    sum.first_at = first_at;
    sum.last_at = later.last_at;
    *this = std::move(sum);
}

}  // namespace jitune::internal
