// SPDX-License-Identifier: Apache-2.0
// What the store tells of calls.
#include <utility>

#include "tuner_db/tuning_store_impl.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_index.hpp"

namespace jitune::internal {

template <class Record, class Read>
std::vector<Record> TuningStore::Impl::intact_rows(const Read& read) {
    typename SumTable<Record>::Rows rows;
    bool is_news = false;
    {
        const Turn turn(*this, kSweepWait);
        rows = read();
        is_news = rows.damaged > 0 && warned_of_.insert(Record::kTable).second;
    }
    bad_rows_ += rows.damaged;
    if (is_news) {
        log_.warning(
            "tuning database {}: {} of the table {} {} damaged and left out; run "
            "`jitune db verify` for details",
            file_.path, rows.damaged == 1 ? "1 row" : fmt::format("{} rows", rows.damaged),
            Record::kTable, rows.damaged == 1 ? "is" : "are");
    }
    return std::move(rows.records);
}

std::vector<Winner> TuningStore::Impl::settled_winners() {
    std::vector<Winner> settled;
    for (const std::int64_t rowid : winners_.all()) {
        std::optional<Winner> winner = winners_.read(rowid).winner;
        if (winner && !is_to_be_tuned(trust_of(*winner))) {
            winner->image.clear();
            settled.push_back(std::move(*winner));
        }
    }
    return settled;
}

std::vector<Miss> TuningStore::misses() {
    return impl_->intact_rows<Miss>([&] {
        SumTable<Miss>::Rows rows = impl_->misses_.all();
        if (rows.records.empty()) {
            return rows;
        }
        // A winner may have come by another way than save(), or in the middle of a report of calls.
        const std::vector<Winner> settled = impl_->settled_winners();
        const WinnerIndex index(settled);  // there may be thousands of both
        std::erase_if(rows.records, [&](const Miss& miss) {
            return !index.serving(miss.key, *miss.problem_sizes()).empty();
        });
        return rows;
    });
}

std::vector<Usage> TuningStore::usages() {
    return impl_->intact_rows<Usage>([&] {
        return impl_->usages_.all(
            [](const Usage& usage) { return usage.problem_sizes().has_value(); });
    });
}

std::vector<Pause> TuningStore::pauses() {
    return impl_->intact_rows<Pause>(
        [&] { return impl_->pauses_.all([](const Pause&) { return true; }); });
}

std::vector<Doubt> TuningStore::doubts() {
    return impl_->intact_rows<Doubt>([&] {
        SumTable<Doubt>::Rows rows =
            impl_->doubts_.all([](const Doubt& doubt) { return doubt.called_sizes().has_value(); });
        std::erase_if(rows.records, [&](const Doubt& doubt) { return !impl_->doubted(doubt); });
        return rows;
    });
}

std::optional<Winner> TuningStore::doubted(const Doubt& doubt) {
    const Impl::Turn turn(*impl_, kDispatchWait);
    return impl_->doubted(doubt);
}

std::vector<KeptBinary> TuningStore::binaries(const KeptBinary& wanted) {
    const Impl::Turn turn(*impl_, kDispatchWait);
    BinaryTable::Found found = impl_->binaries_.find(wanted);
    if (found.damaged > 0) {
        impl_->bad_rows_ += found.damaged;
        impl_->log_.warning("tuning database {}: compiled code of {} is damaged and not used",
                            impl_->file_.path, wanted.kernel);
    }
    return std::move(found.binaries);
}

void TuningStore::keep(std::span<const KeptBinary> binaries) {
    const Impl::Turn turn(*impl_, kMissWait);
    impl_->write([&] { impl_->binaries_.put(binaries); });
}

}  // namespace jitune::internal
