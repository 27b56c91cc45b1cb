// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sizes/size_box.hpp"
#include "support/log.hpp"
#include "tuner_db/calls/doubt.hpp"
#include "tuner_db/calls/miss.hpp"
#include "tuner_db/calls/usage.hpp"
#include "tuner_db/merge/merge.hpp"
#include "tuner_db/merge/merge_record.hpp"
#include "tuner_db/winners/kept_binary.hpp"
#include "tuner_db/winners/prune.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// What a session tells the store of its calls since the last time.
struct CallRecords {
    std::vector<Miss> misses;
    std::vector<Usage> usages = {};
    std::vector<Pause> pauses = {};
    std::vector<Doubt> doubts = {};

    [[nodiscard]] bool empty() const {
        return misses.empty() && usages.empty() && pauses.empty() && doubts.empty();
    }
};

/// The tuning database: append-only measurements and winners, in one SQLite file. The winners of a
/// key, which is taken without its bucket, serve ranges of sizes that have none in common.
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

    [[nodiscard]] bool is_read_only() const;

    /// The winner of `key` that serves `sizes`, if its row is intact and not unsure. A damaged row
    /// is deleted (read_write). `patience` limits the wait for others that hold the file: a call
    /// goes on without the store rather than wait.
    std::optional<Winner> find(const RecordKey& key, std::span<const std::int64_t> sizes,
                               std::chrono::milliseconds patience = kDispatchWait);
    static constexpr std::chrono::milliseconds kDispatchWait{50};

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
    /// already is not stored twice. A measurement that says that a configuration computes a wrong
    /// result refutes all older winners of its key with that configuration: they count as missing
    /// from then on. A winner takes the sizes that it serves away from older winners, unless it
    /// yields() to them; an older winner keeps the sizes that are left. A winner replaces an older
    /// one of the same sizes and configuration, and also serves the sizes that were left to it.
    void save(std::span<const Measurement> measurements, std::span<const Winner> winners = {});
    void save(std::span<const Measurement> measurements, const Winner& winner) {
        save(measurements, {&winner, 1});
    }

    /// Saves `choice` of an objective, which its conditions name, as the winner of `sizes`, and
    /// pins it, in one transaction. It takes the place of an earlier choice of the same objective.
    /// Elsewhere the earlier choice still serves, and stays pinned if it was made at other sizes.
    /// Returns false and changes nothing if winners are pinned that the choice may not replace;
    /// `choice` then becomes the winner that serves, if any does.
    bool save_choice(Winner& choice, std::span<const std::int64_t> sizes);

    /// The owner, other than `owner`, that tunes `key`, or "". An owner is "<process_identity()>
    /// <name within the process>". All callers pass the same `duration`.
    std::string lease_holder(const RecordKey& key, const std::string& owner,
                             std::chrono::milliseconds duration);

    /// Gives `owner` the lease of `key` for `duration` from now, unless another has it; returns
    /// that owner, as lease_holder() does. A second call prolongs the lease. Leases only save work:
    /// correctness does not depend on them.
    std::string try_lease(const RecordKey& key, const std::string& owner,
                          std::chrono::milliseconds duration);

    /// Ends the lease of `owner`, if it still has one.
    void release_lease(const RecordKey& key, const std::string& owner);

    /// Every winner, ordered by kernel, types, device class, bucket, sizes and configuration.
    /// Without their images.
    std::vector<Winner> winners();

    /// The winners that `wants` takes, without the first `skip` and at most `limit`. Reads no more
    /// rows than needed.
    std::vector<Winner> winners(const std::function<bool(const Winner&)>& wants, std::int64_t skip,
                                std::int64_t limit);

    /// A key that has been measured, and the number of its measurements.
    struct Measured {
        RecordKey key;
        std::int64_t measurements = 0;
    };
    /// Every key that measurements have, ordered by kernel, types, device class and bucket. Counts
    /// damaged rows, too, because it reads no row whole.
    std::vector<Measured> measured();

    /// Measurements of one key, oldest first.
    std::vector<Measurement> measurements(const RecordKey& key);

    /// The measurements of all keys, in the order in which they were stored. Give `last` = 0 to get
    /// all; the function changes `last`, and a later call with it returns the measurements that
    /// were stored since.
    std::vector<Measurement> measurements_after(std::int64_t& last);

    /// The measurements whose conditions say "compared", of this key with any bucket that is at
    /// most so many half-octaves away in each size, oldest first.
    std::vector<Measurement> comparisons(const RecordKey& key, int half_octaves = kAllSizes);
    static constexpr int kAllSizes = 255;

    /// Adds to what is known of calls, in one transaction; leaves out misses that a winner serves
    /// by now which ends_search(), and doubts about winners that are gone. Waits at most a second
    /// for others that hold the file.
    void add(const CallRecords& records);
    void add_misses(std::span<const Miss> misses);

    /// The calls that sessions have recorded; the last call comes first.
    std::vector<Usage> usages();

    /// The pauses that sessions have recorded, the longest first.
    std::vector<Pause> pauses();

    /// The doubts about stored winners, the last ones first. Saving a winner removes the doubt
    /// about its own row.
    std::vector<Doubt> doubts();

    /// The winner that `doubt` is about, with its image. Nothing if its row is damaged or has gone.
    std::optional<Winner> doubted(const Doubt& doubt);

    /// Forgets these doubts.
    void remove_doubts(std::span<const Doubt> doubts);

    /// The problems that calls had no winner for, or one that deserves_another_try(), those called
    /// most first. A winner that is saved removes those that it serves, if it ends_search().
    std::vector<Miss> misses();

    /// Forgets these problems, with all that was added meanwhile.
    void remove_misses(std::span<const Miss> misses);

    /// The compiled code that is kept for the template, the device class and the instance of
    /// `wanted`, by any compiler, used last first. A damaged row is counted and left out.
    std::vector<KeptBinary> binaries(const KeptBinary& wanted);

    /// Keeps compiled code, as BinaryTable::put() does. Waits at most a second for others that hold
    /// the file.
    void keep(std::span<const KeptBinary> binaries);

    /// A number that changes when another connection has changed the file.
    std::int64_t version();

    /// Unites the measurements and winners of another database with those of this one, in one
    /// transaction. Merges in any order, repeated or not, make the same tables. Throws
    /// Error(store), also if `other` is the same file.
    MergeReport merge(TuningStore& other, const MergeOptions& options);

    /// Puts `whole` in the place of the row `merged`, which is the same winner without code. False
    /// if that row has gone.
    bool give_code(const Winner& merged, Winner whole);

    /// Takes the last merge back: removes what it has added, and restores what it has changed,
    /// except for sizes that younger winners serve. Earlier merges stay.
    UndoReport undo_merge();

    /// The merges that have added something, the last one first.
    std::vector<Merge> merges();
    /// What merges have brought of each winner.
    std::vector<MergedWinner> merged_winners();

    /// The digests of all measurements, sorted, as their rows state them, unchecked.
    std::vector<std::string> measurement_digests();

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

    struct Check {
        std::int64_t winners = 0;
        std::int64_t measurements = 0;
        std::vector<std::string> problems;  ///< one line per damaged row or failed integrity check
    };
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
    class Impl;
    explicit TuningStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace jitune::internal
