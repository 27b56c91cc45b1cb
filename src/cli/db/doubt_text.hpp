// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/formats/json.hpp"
#include "tuner_db/calls/doubt.hpp"

namespace jitune::internal {

/// Explains the "!" behind the id of a winner in doubt, for the end of a table.
inline constexpr std::string_view kDoubtLegend =
    "! in doubt: calls take longer, or the driver has changed; jitune db show says which\n";

/// The doubt about a winner: its fields without those that name the winner; null where there is
/// none.
Json doubt_json(std::span<const Doubt> doubts, const Winner& winner);

/// The doubts as a table for people; "" where there are none.
std::string doubts_text(std::span<const Doubt> doubts, std::size_t width);

/// The doubts as JSON: their fields, with "text" in words.
Json doubts_json(std::span<const Doubt> doubts);

}  // namespace jitune::internal
