// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/calls/doubt.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace jitune::internal {

sqlite::Row Doubt::place() const {
    return {key.kernel,        key.types, key.device_class, key.alignment,
            key.template_hash, sizes,     configuration};
}

bool Doubt::is_about(const Winner& winner) const {
    return winner.sizes == sizes && winner.configuration == configuration &&
           winner.provenance.created_at == winner_at && winner.key.is_like(key);
}

void Doubt::add(const Doubt& later) {
    const std::string first = winner_at == later.winner_at ? first_at : later.first_at;
    const std::int64_t sum =
        winner_at == later.winner_at ? saturating_sum(reports, later.reports) : later.reports;
    *this = later;
    first_at = first;
    reports = sum;
}

const Doubt* doubt_about(std::span<const Doubt> doubts, const Winner& winner) {
    const auto found = std::find_if(doubts.begin(), doubts.end(),
                                    [&](const Doubt& doubt) { return doubt.is_about(winner); });
    return found == doubts.end() ? nullptr : &*found;
}

std::string doubt_sentence(const Doubt& doubt) {
    const std::string day = doubt.last_at.substr(0, doubt.last_at.find('T'));
    if (doubt.reason == Doubt::kDriver) {
        return fmt::format("not raced since the driver became {}, {}", doubt.driver, day);
    }
    return fmt::format("calls at {} took {:.3g} us instead of at most {:.3g} us, {}", doubt.called,
                       doubt.served_ns / 1000, doubt.expected_ns / 1000, day);
}

}  // namespace jitune::internal
