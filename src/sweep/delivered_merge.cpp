// SPDX-License-Identifier: Apache-2.0
#include "sweep/delivered_merge.hpp"

namespace jitune::internal {

std::vector<Winner> merge_delivered(TuningStore& into, const std::filesystem::path& from,
                                    const Log& log) {
    const auto delivered = TuningStore::open(from, TuningStore::Access::read_only, log);
    into.merges().add(delivered->merges(), {.trust_code = true});
    return delivered->winners();
}

}  // namespace jitune::internal
