// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sizes/size_box.hpp"
#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// The sizes that a winner serves: at least one box; nothing if the text is malformed.
std::optional<std::vector<SizeBox>> boxes_of(const Winner& winner);

/// False for a row whose sizes are malformed or whose bound no comparison gives: it is damaged.
bool is_sound(const Winner& winner);

/// The text of these boxes.
const std::string& served_text(const Winner& winner);

/// Returns the configuration that serves the winner's sizes, or "the default" for a winner by
/// default.
std::string server_text(const Winner& winner);

/// WinnerRange::covers of these boxes: the same text for the same sizes. Empty: `sizes` alone.
std::string canonical_covers(const std::string& sizes, std::span<const SizeBox> boxes);

/// The same for a person, "n=1; n=3 and 12 more" if there are more than eight boxes.
std::string short_served_text(const Winner& winner);

/// "at most 2.0 % slower than the best, with 59 held-out sizes", or that this is not known.
std::string bound_sentence(const WinnerRange& range);

/// The table `winner`. Rows of a key (taken without its bucket) that were tuned here serve
/// different sizes. If rows of merged databases overlap, the row serves that serves_before() the
/// others. A row is refuted if a measurement that is not older says that its configuration computes
/// a wrong result: the row stays, and counts as missing. Takes no locks and begins no transactions:
/// the caller does.
class WinnerTable {
public:
    explicit WinnerTable(const sqlite::Connection& connection);

    /// What an index tells of a row, without reading its image.
    struct Place {
        std::int64_t rowid = 0;
        std::optional<std::vector<SizeBox>> boxes;  ///< as boxes_of()
        bool unsure = false;
    };
    /// Youngest first.
    std::vector<Place> places(const RecordKey& key);

    /// Rows whose digest, type, sizes or bound are wrong: their places and digests.
    using Damaged = std::vector<std::pair<std::int64_t, sqlite::Cell>>;

    struct Answer {
        std::optional<Winner> winner;
        Damaged damaged;
    };
    /// The row of `key` that serves `sizes`, and the damaged rows that were met on the way.
    Answer find(const RecordKey& key, std::span<const std::int64_t> sizes, bool also_unsure);

    /// The rows of `key` that do not serve `sizes`, as TuningStore::nearest() orders them.
    std::vector<std::int64_t> neighbours(const RecordKey& key, std::span<const std::int64_t> sizes);

    /// The numbers of all rows, ordered by kernel, types, device class, bucket, sizes and
    /// configuration.
    std::vector<std::int64_t> all();

    /// A row with its stored digest. Without a digest there is no row.
    struct Found {
        std::optional<sqlite::Cell> digest;
        std::optional<Winner> winner;

        [[nodiscard]] bool damaged() const { return digest && !winner; }
        [[nodiscard]] bool counts() const { return winner && !winner->refuted; }
    };
    Found read(std::int64_t rowid);
    /// The rows of this key, these sizes and this configuration, with their places.
    std::vector<std::pair<std::int64_t, Found>> read_same(const Winner& row);

    /// Adds a winner, and takes the sizes that it serves away from the other rows of its key;
    /// deletes a row without sizes. The winner replaces older rows of the same sizes and
    /// configuration, and also serves the sizes that were left to them. It takes no sizes from rows
    /// that are pinned or to which it yields(), and is not added if it would replace such a row or
    /// has no sizes left. Throws Error(store) for a winner that the table cannot hold.
    void put(Winner winner);

    /// Adds a row as it is, beside those that are there.
    void add(const Winner& winner);

    /// Deletes a row, unless it was replaced in the meantime.
    void drop(std::int64_t rowid, const sqlite::Cell& digest);

    /// Pins the row of that id, or takes the pin away.
    void pin(const std::string& id, bool pinned);

private:
    bool is_refuted(const Winner& winner);
    bool is_pinned(const Winner& winner);
    void take_away(const Place& place, std::span<const SizeBox> taken);
    /// The sizes of the rows that are pinned or to which `winner` yields().
    std::vector<SizeBox> better_served(const Winner& winner);

    // A "?" is the parameter behind those of the key.
    sqlite::Statement places_;
    sqlite::Statement holding_;
    sqlite::Statement all_;
    sqlite::Statement read_;
    sqlite::Statement same_;
    sqlite::Statement put_;
    sqlite::Statement find_refuting_;
    sqlite::Statement drop_;
    sqlite::Statement find_pin_;
    sqlite::Statement any_pin_;
    sqlite::Statement put_pin_;
    sqlite::Statement drop_pin_;
};

}  // namespace jitune::internal
