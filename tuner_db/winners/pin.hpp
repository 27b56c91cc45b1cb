// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tuner_db/file/fields.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// A person's choice that a winner serves and is not replaced.
struct Pin {
    static constexpr const char* kTable = "pin";

    std::string winner;     ///< winner_id()
    std::string pinned_at;  ///< UTC, "2026-11-20T16:00:00Z"
};

template <MaybeConst<Pin> Record>
void fields(const auto& visit, Record& pin) {
    visit({"winner"}, pin.winner);
    visit({"pinned_at"}, pin.pinned_at);
}

/// "energy", the objective that chose a pinned winner; empty: its time, or a person.
std::string objective_of(const Winner& winner);

/// ", chosen by energy", to follow a word that says that the winner is pinned; empty without an
/// objective.
std::string chosen_by_text(const Winner& winner);

}  // namespace jitune::internal
