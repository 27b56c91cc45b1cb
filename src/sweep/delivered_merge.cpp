// SPDX-License-Identifier: Apache-2.0
#include "sweep/delivered_merge.hpp"

#include <algorithm>
#include <utility>

namespace jitune::internal {

std::vector<Winner> merge_delivered(TuningStore& into, const std::filesystem::path& from,
                                    const Log& log) {
    const auto delivered = TuningStore::open(from, TuningStore::Access::read_only, log);
    std::int64_t none = 0;
    const std::vector<Measurement> measurements = delivered->measurements_after(none);
    std::vector<Winner> rows = delivered->winners();
    std::vector<Winner> winners;
    const std::vector<Winner> known = into.winners();
    for (const Winner& row : rows) {
        const bool is_known = std::find(known.begin(), known.end(), row) != known.end();
        auto winner = is_known ? std::nullopt : delivered->with_image(row);
        if (winner) {
            winners.push_back(std::move(*winner));
        }
    }
    into.save(measurements, winners);
    return rows;
}

}  // namespace jitune::internal
