// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sizes/size_box.hpp"
#include "support/log.hpp"
#include "tuner_db/calls/lease.hpp"
#include "tuner_db/calls/stored_calls.hpp"
#include "tuner_db/file/integrity.hpp"
#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/merge/stored_merges.hpp"
#include "tuner_db/open_store.hpp"
#include "tuner_db/winners/binary_table.hpp"
#include "tuner_db/winners/prune.hpp"
#include "tuner_db/winners/record.hpp"
#include "tuner_db/winners/stored_measurements.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

/// The tuning database, in one SQLite file: append-only measurements, winners, and what is known of
/// calls. The winners of a key, which is taken without its bucket, serve ranges of sizes that have
/// none in common. This class has the winners and the upkeep; its parts have the rest.
///
/// Distrusts the file: a row with a wrong digest, type or text is counted and treated as missing,
/// never as an error. Many processes may use the file at once, and many threads one store (an
/// internal mutex; no code of the caller runs under it). Functions throw Error(store) unless said
/// otherwise.
class TuningStore {
public:
    /// as_permitted: read_write, or read_only if the file or its directory is write protected.
    enum class Access { read_write, read_only, as_permitted };

    /// Opens or creates `path` (directory 0700, file 0600). Throws Error(store) if the path is not
    /// safe (another owner, writable by others, a symlink, not a regular file), if the file belongs
    /// to another application or to a newer jitune, or if its schema differs. A damaged
    /// database is renamed to `<path>.bad-<n>` with a warning and replaced, unless read_only.
    /// `patience` limits the wait for others that hold the file.
    static std::unique_ptr<TuningStore> open(const std::filesystem::path& path, Access access,
                                             const Log& log,
                                             std::chrono::milliseconds patience = kPatience);
    /// Long enough for many processes that create the file at once.
    static constexpr std::chrono::milliseconds kPatience{10'000};
    /// Opens another database to be read alone, whoever owns it. The file does not change. Throws
    /// Error(store) if the file is no tuning database of this schema version.
    static std::unique_ptr<TuningStore> open_other(const std::filesystem::path& path,
                                                   const Log& log);
    /// A store in memory, for tests and for an empty Options::database.
    static std::unique_ptr<TuningStore> in_memory(const Log& log);

    ~TuningStore();

    [[nodiscard]] bool is_read_only() const { return tables_->store.is_read_only(); }

    // The parts of a store, which live as long as it.
    StoredMeasurements& measurements() { return tables_->measurements; }
    StoredMerges& merges() { return tables_->merges; }
    /// What is known of calls.
    StoredCalls& calls() { return tables_->calls; }
    /// Who tunes what.
    Leases& leases() { return tables_->leases; }

    /// The winner of `key` that serves `sizes`, if its row is intact and not unsure. A damaged row
    /// is deleted (read_write). `patience` limits the wait for others that hold the file: a call
    /// goes on without the store rather than wait.
    std::optional<Winner> find(const RecordKey& key, std::span<const std::int64_t> sizes,
                               std::chrono::milliseconds patience = kDispatchWait);
    static constexpr std::chrono::milliseconds kDispatchWait = kCallWait;

    /// As find(), but also returns an unsure winner. The next tuning of these sizes begins with it.
    std::optional<Winner> incumbent(const RecordKey& key, std::span<const std::int64_t> sizes);

    /// At most `limit` winners of `key` that do not serve `sizes`, without their images. The
    /// nearest by octaves_between() comes first, so an unsure winner whose range holds the sizes
    /// does; on a tie, the winner of the smaller sizes. Winners that `takes` refuses do not count.
    std::vector<Winner> nearest(
        const RecordKey& key, std::span<const std::int64_t> sizes, int limit,
        const std::function<bool(const Winner&)>& takes = [](const Winner&) { return true; });

    /// A winner with its image, for one that nearest() or winners() has returned. Nothing if its
    /// row is damaged or has gone.
    std::optional<Winner> with_image(const Winner& row);

    /// A part of `within` that holds `sizes`: at all sizes of the part the database has the same
    /// winners as at `sizes`.
    SizeBox same_winners(const RecordKey& key, std::span<const std::int64_t> sizes, SizeBox within);

    /// Adds all measurements and winners in one transaction. A measurement that the database has
    /// already is not stored twice. One that says that a configuration computes a wrong result
    /// refutes all winners of its key with it, unless they are younger: they count as missing from
    /// then on. A winner takes the sizes that it serves away from older ones to which it does not
    /// yield(); what is left of an older one stays. It replaces one of its sizes and configuration,
    /// and serves what is left of that, too.
    /// Returns the winner of the first one's key that serves `sizes` then: an older one if these
    /// yield() to it. Nothing if none serves them, or where there are no `sizes` or no `winners`.
    std::optional<Winner> save(std::span<const Measurement> measurements,
                               std::span<const Winner> winners = {},
                               std::span<const std::int64_t> sizes = {});
    void save(std::span<const Measurement> measurements, const Winner& winner) {
        save(measurements, {&winner, 1});
    }

    /// Saves `choice` of an objective, which its conditions name, as the winner of `sizes`, and
    /// pins it, in one transaction. It takes the place of an earlier choice of the same objective.
    /// Elsewhere the earlier choice still serves, and stays pinned if it was made at other sizes.
    /// Returns false and changes nothing if winners are pinned that the choice may not replace;
    /// `choice` then becomes the winner that serves, if any does.
    bool save_choice(Winner& choice, std::span<const std::int64_t> sizes);

    /// The winners that `wants` takes, without the first `skip` and at most `limit`, ordered by
    /// kernel, types, device class, bucket, sizes and configuration. Without their images. Reads no
    /// more rows than needed.
    std::vector<Winner> winners(
        const std::function<bool(const Winner&)>& wants = [](const Winner&) { return true; },
        std::int64_t skip = 0, std::int64_t limit = std::numeric_limits<std::int64_t>::max());

    /// The compiled code that is kept for the template, the device class and the instance of
    /// `wanted`, by any compiler, used last first. A damaged row is counted and left out.
    std::vector<KeptBinary> binaries(const KeptBinary& wanted);

    /// Keeps compiled code, as BinaryTable::put() does. Waits at most a second for others that hold
    /// the file.
    void keep(std::span<const KeptBinary> binaries);

    /// A number that changes when another connection has changed the file.
    std::int64_t version();

    /// Deletes these winners, and with `also_measurements` all measurements of their keys, whatever
    /// the bucket. Returns the number of rows.
    std::int64_t remove(std::span<const Winner> winners, bool also_measurements);

    /// Deletes the rows that `rules` name.
    PruneReport prune(const PruneRules& rules);

    /// Gives the room of deleted rows back to the file system.
    void compact();

    /// Pins the winner of that winner_id(), so that it serves and is not replaced; or takes the pin
    /// away.
    void pin(const std::string& id, bool pinned);

    using Check = StoreCheck;
    /// Reads every row. Repairs nothing.
    Check verify();

    struct Status {
        std::string path;            ///< empty in memory
        std::string journal_mode;    ///< "delete", "wal" or "memory"
        std::string journal_reason;  ///< the reason for this mode
        std::string sqlite_version;
        std::int64_t schema_version = 0;
        std::int64_t bytes = 0;
    };
    Status status();

    /// The number of damaged rows met since opening.
    [[nodiscard]] std::int64_t bad_rows() const;

private:
    /// The open file and its tables. A forked process must leave them as they are.
    struct Tables {
        Tables(StoreFile opened, const Log& log) : store(std::move(opened), log) {}

        OpenStore store;
        WinnerTable winners{store.connection()};
        StoredMeasurements measurements{store};
        BinaryTable binaries{store.connection()};
        StoredCalls calls{store, winners};
        Leases leases{store};
        StoredMerges merges{store, winners, measurements, calls};
    };

    TuningStore(StoreFile opened, const Log& log)
        : tables_(std::make_unique<Tables>(std::move(opened), log)) {}

    std::optional<Winner> find(const RecordKey& key, std::span<const std::int64_t> sizes,
                               bool also_unsure, std::chrono::milliseconds patience);
    /// The row, if it is intact and not refuted. Counts a damaged row.
    std::optional<Winner> intact(WinnerTable::Found found);
    /// Deletes damaged rows. Leaves rows that were replaced meanwhile, and leaves all rows if the
    /// database is busy.
    void drop(const WinnerTable::Damaged& damaged);
    /// Adds a winner, and removes the misses that it serves and the doubt about its own row. In a
    /// write transaction of the caller.
    void put(const Winner& winner);

    std::unique_ptr<Tables> tables_;
};

}  // namespace jitune::internal
