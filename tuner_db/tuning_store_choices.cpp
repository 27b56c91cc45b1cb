// SPDX-License-Identifier: Apache-2.0
// What TuningStore does with choices, which persons and objectives make and which it pins.
#include "tuner_db/tuning_store_impl.hpp"
#include "tuner_db/winners/pin.hpp"
#include "tuner_db/winners/precedence.hpp"

namespace jitune::internal {

void TuningStore::pin(const std::string& id, bool pinned) {
    const Impl::Turn turn(*impl_, kSweepWait);
    impl_->write([&] { impl_->winners_.pin(id, pinned); });
}

bool TuningStore::save_choice(Winner& choice, std::span<const std::int64_t> sizes) {
    Winner pinned = choice;
    pinned.pinned = true;  // so that it yields to none that is surer of its time
    const auto serving = [&] { return impl_->winners_.find(choice.key, sizes, false).winner; };
    const Impl::Turn turn(*impl_, kSweepWait);
    sqlite::Transaction transaction(impl_->connection_, sqlite::Transaction::Kind::write);
    impl_->check_journal();
    const auto known = serving();
    if (known && known->pinned) {
        if (objective_of(*known) != objective_of(choice)) {
            choice = *known;
            return false;
        }
        impl_->winners_.pin(winner_id(*known), false);  // else every other winner yields to it
    }
    impl_->put(pinned);
    impl_->winners_.pin(winner_id(pinned), true);
    // A choice that was made at other sizes and served these, too, stays the choice where it was
    // made.
    if (known && known->pinned && known->sizes != pinned.sizes &&
        !impl_->winners_.read_same(*known).empty()) {
        impl_->winners_.pin(winner_id(*known), true);
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
