// SPDX-License-Identifier: Apache-2.0
#include "cli/db/doubt_text.hpp"

#include <vector>

#include "cli/db/record_json.hpp"
#include "cli/formats/table.hpp"
#include "text/winner_text.hpp"

namespace jitune::internal {

Json doubt_json(std::span<const Doubt> doubts, const Winner& winner) {
    const Doubt* const doubt = doubt_about(doubts, winner);
    if (doubt == nullptr) {
        return {};
    }
    return {{"reason", doubt->reason},
            {"called", doubt->called},
            {"served_ns", json_number(doubt->served_ns)},
            {"expected_ns", json_number(doubt->expected_ns)},
            {"driver", doubt->driver},
            {"reports", doubt->reports},
            {"first_at", doubt->first_at},
            {"last_at", doubt->last_at},
            {"text", doubt_sentence(*doubt)}};
}

std::string doubts_text(std::span<const Doubt> doubts, std::size_t width) {
    std::vector<Table::Cells> rows;
    for (const Doubt& doubt : doubts) {
        rows.push_back({doubt.key.kernel, short_types(doubt.key.types), doubt.sizes,
                        doubt.device_name, doubt.configuration, doubt_sentence(doubt)});
    }
    return rows.empty() ? ""
                        : "winners in doubt, which are raced again before anything is tuned:\n" +
                              Table::text({{"kernel"},
                                           {"types"},
                                           {"tuned at"},
                                           detail("device"),
                                           detail("configuration"),
                                           {"why"}},
                                          rows, width);
}

Json doubts_json(std::span<const Doubt> doubts) {
    Json rows = Json::array();
    for (const Doubt& doubt : doubts) {
        Json row = to_json(doubt);
        row["text"] = doubt_sentence(doubt);
        rows.push_back(row);
    }
    return rows;
}

}  // namespace jitune::internal
