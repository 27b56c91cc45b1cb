// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/calls/stored_calls.hpp"

#include <utility>

#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_index.hpp"

namespace jitune::internal {

StoredCalls::StoredCalls(OpenStore& store, WinnerTable& winners)
    : store_(store),
      winners_(winners),
      misses_(store.connection(), {kMostMisses, CallRecord::kPlaceOfMiss,
                                   "calls DESC, last_at DESC, rowid", CallRecord::kIsMiss}),
      uses_(store.connection(),
            {kMostUses, CallRecord::kPlaceOfUse, "last_at DESC, rowid", CallRecord::kIsUse}),
      pauses_(store.connection(), {kMostPauses, Pause::kPlace, "longest_us DESC, rowid"}),
      doubts_(store.connection(), {kMostDoubts, Doubt::kPlace, "last_at DESC, rowid"}),
      misses_of_key_(store.connection(),
                     select(table_of<CallRecord>(),
                            where_key_of_any_bucket() + " AND " + CallRecord::kIsMiss)) {}

void StoredCalls::add(const CallReport& report) {
    std::vector<CallRecord> uses;
    std::vector<CallRecord> misses;
    for (const CallRecord& call : report.calls) {
        (call.is_miss() ? misses : uses).push_back(call);
    }
    std::vector<Doubt> doubts = report.doubts;
    store_.write(kShortWait, [&] {
        std::erase_if(misses, [&](const CallRecord& miss) { return !is_unserved(miss); });
        std::erase_if(doubts, [&](const Doubt& doubt) { return !row_of(doubt); });
        misses_.add(misses);
        uses_.add(uses);
        pauses_.add(report.pauses);
        doubts_.add(doubts);
    });
}

bool StoredCalls::is_unserved(const CallRecord& miss) {
    const auto sizes = miss.problem_sizes();
    if (!sizes) {
        return false;
    }
    const auto winner = winners_.find(miss.key, *sizes, false).winner;
    return !winner || is_to_be_tuned(trust_of(*winner));
}

template <class Record>
std::vector<Record> StoredCalls::intact(const std::function<Rows<Record>()>& read) {
    Rows<Record> rows;
    bool is_news = false;
    {
        const OpenStore::Turn turn(store_, kSweepWait);
        rows = read();
        is_news = rows.damaged > 0 && warned_of_.insert(Record::kTable).second;
    }
    store_.add_damaged(rows.damaged);
    if (is_news) {
        store_.log().warning(
            "tuning database {}: {} of the table {} {} damaged and left out; run "
            "`jitune db verify` for details",
            store_.file().path, rows.damaged == 1 ? "1 row" : fmt::format("{} rows", rows.damaged),
            Record::kTable, rows.damaged == 1 ? "is" : "are");
    }
    return std::move(rows.records);
}

std::vector<CallRecord> StoredCalls::uses() {
    return intact<CallRecord>([&] { return uses_.all(); });
}

std::vector<CallRecord> StoredCalls::misses() {
    return intact<CallRecord>([&] {
        Rows<CallRecord> rows = misses_.all();
        if (rows.records.empty()) {
            return rows;
        }
        // A winner may have come by another way than save(), or in the middle of a report of calls.
        const std::vector<Winner> settled = settled_winners();
        const WinnerIndex index(settled);  // there may be thousands of both
        std::erase_if(rows.records, [&](const CallRecord& miss) {
            return !index.serving(miss.key, *miss.problem_sizes()).empty();
        });
        return rows;
    });
}

std::vector<Winner> StoredCalls::settled_winners() {
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

std::vector<Pause> StoredCalls::pauses() {
    return intact<Pause>([&] { return pauses_.all(); });
}

std::vector<Doubt> StoredCalls::doubts() {
    return intact<Doubt>([&] {
        Rows<Doubt> rows = doubts_.all();
        std::erase_if(rows.records, [&](const Doubt& doubt) { return !row_of(doubt); });
        return rows;
    });
}

std::optional<Winner> StoredCalls::doubted(const Doubt& doubt) {
    const OpenStore::Turn turn(store_, kCallWait);
    return row_of(doubt);
}

std::optional<Winner> StoredCalls::row_of(const Doubt& doubt) {
    Winner place;
    place.key = doubt.key;
    place.sizes = doubt.sizes;
    place.configuration = doubt.configuration;
    for (auto& [rowid, same] : winners_.read_same(place)) {
        if (same.counts() && doubt.is_about(*same.winner)) {
            return std::move(same.winner);
        }
    }
    return std::nullopt;
}

void StoredCalls::remove(std::span<const CallRecord> misses) {
    store_.write(kSweepWait, [&] {
        for (const CallRecord& miss : misses) {
            misses_.remove(miss);
        }
    });
}

void StoredCalls::remove(std::span<const Doubt> doubts) {
    store_.write(kSweepWait, [&] {
        for (const Doubt& doubt : doubts) {
            doubts_.remove(doubt);
        }
    });
}

void StoredCalls::remove_served(const Winner& winner) {
    const auto boxes = boxes_of(winner);
    if (!boxes || is_to_be_tuned(trust_of(winner))) {
        return;
    }
    const auto misses = read_rows<CallRecord>(misses_of_key_, cells_of(winner.key));
    for (const CallRecord& miss : misses.records) {
        if (covers(*boxes, *miss.problem_sizes())) {
            misses_.remove(miss);
        }
    }
}

void StoredCalls::remove_doubt(const Winner& winner) {
    Doubt doubt;
    doubt.key = winner.key;
    doubt.sizes = winner.sizes;
    doubt.configuration = winner.configuration;
    doubts_.remove(doubt);
}

}  // namespace jitune::internal
