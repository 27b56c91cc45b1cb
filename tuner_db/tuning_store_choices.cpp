// SPDX-License-Identifier: Apache-2.0
// What TuningStore does with choices, which persons and objectives make and which it pins.
#include "tuner_db/tuning_store.hpp"
#include "tuner_db/winners/pin.hpp"
#include "tuner_db/winners/precedence.hpp"

namespace jitune::internal {

void TuningStore::pin(const std::string& id, bool pinned) {
    const OpenStore::Turn turn(tables_->file, kSweepWait);
    tables_->file.write([&] { tables_->winners.pin(id, pinned); });
}

bool TuningStore::save_choice(Winner& choice, std::span<const std::int64_t> sizes) {
    Winner pinned = choice;
    pinned.pinned = true;  // so that it yields to none that is surer of its time
    const auto serving = [&] { return tables_->winners.find(choice.key, sizes, false).winner; };
    const OpenStore::Turn turn(tables_->file, kSweepWait);
    sqlite::Transaction transaction(tables_->file.connection(), sqlite::Transaction::Kind::write);
    tables_->file.check_journal_mode();
    const auto known = serving();
    if (known && known->pinned) {
        if (objective_of(*known) != objective_of(choice)) {
            choice = *known;
            return false;
        }
        tables_->winners.pin(winner_id(*known), false);  // else every other winner yields to it
    }
    put(pinned);
    tables_->winners.pin(winner_id(pinned), true);
    // A choice at other sizes that served these, too, stays one where it was made.
    if (known && known->pinned && known->sizes != pinned.sizes &&
        !tables_->winners.read_same(*known).empty()) {
        tables_->winners.pin(winner_id(*known), true);
    }
    const auto first = serving();
    if (!first || winner_id(*first) != winner_id(pinned)) {  // others are pinned there
        choice = first.value_or(choice);
        return false;
    }
    transaction.commit();
    choice = std::move(pinned);
    return true;
}

}  // namespace jitune::internal
