// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/calls/usage.hpp"

#include "tuner_db/calls/sum_table.hpp"

namespace jitune::internal {

sqlite::Row Usage::place() const {
    return {key.kernel, key.types,     key.device_class, key.alignment, key.template_hash,
            sizes,      configuration, origin,           winner_at};
}

void Usage::add(const Usage& later) {
    calls = saturating_sum(calls, later.calls);
    sessions = saturating_sum(sessions, later.sessions);
    device_name = later.device_name;
    last_at = later.last_at;
}

void Pause::add(const Pause& later) {
    pauses = saturating_sum(pauses, later.pauses);
    if (later.longest_us > longest_us) {
        longest_us = later.longest_us;
        longest_sizes = later.longest_sizes;
    }
    last_at = later.last_at;
}

}  // namespace jitune::internal
