// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/log.hpp"
#include "tuner_db/record.hpp"

namespace jitune::internal {

/// The tuning database: append-only measurements and one winner per key, in one SQLite file.
///
/// Distrusts the file: a row whose digest, types or text do not hold is a miss, never an error, and
/// is counted. Safe for many processes at once, and for many threads through one store (an internal
/// mutex; no caller's code runs under it). Functions throw Error(store) unless said otherwise.
class TuningStore {
public:
    /// as_permitted: read_write, or read_only where file or directory are write protected.
    enum class Access { read_write, read_only, as_permitted };

    /// Opens or creates `path` (directory 0700, file 0600). Throws Error(store) if the path is not
    /// safe (another owner, writable by others, a symlink, not a regular file), the file belongs to
    /// another application or to a newer jitune, or its schema is not exactly ours. A file that is
    /// no database is set aside as `<path>.bad-<n>` with a warning and replaced, unless read_only.
    /// `patience` is how long others that hold the file are waited for.
    static std::unique_ptr<TuningStore> open(const std::filesystem::path& path, Access access,
                                             const Log& log,
                                             std::chrono::milliseconds patience = kPatience);
    /// Enough for many processes that create the file at once.
    static constexpr std::chrono::milliseconds kPatience{10'000};
    /// A store in memory, for tests and for Options::database = "".
    static std::unique_ptr<TuningStore> in_memory(const Log& log);

    ~TuningStore();

    [[nodiscard]] bool is_read_only() const;

    /// The winner of exactly this key, if its row holds. A bad row is deleted (read_write).
    std::optional<Winner> find(const RecordKey& key);

    /// Winners that differ from `key` in the bucket alone, nearest first by bucket_distance(),
    /// smaller bucket first on a tie; at most `limit`. Without their images.
    std::vector<Winner> nearest(const RecordKey& key, int limit);

    /// Appends all measurements and sets the winner of its key, in one transaction. A measurement
    /// that is there already is not stored twice.
    void save(std::span<const Measurement> measurements, const std::optional<Winner>& winner);

    /// Who other than `owner` tunes `key`, or "". Owners are "<process_identity()> <what tells it
    /// from others of the process>". `duration` is what all ask for.
    std::string lease_holder(const RecordKey& key, const std::string& owner,
                             std::chrono::milliseconds duration);

    /// Makes `owner` the one that tunes `key` for `duration` from now, unless somebody else is:
    /// answers as lease_holder(). Asking again prolongs. Leases only save work: nothing depends on
    /// them.
    std::string try_lease(const RecordKey& key, const std::string& owner,
                          std::chrono::milliseconds duration);

    /// Ends `owner`'s lease, if it still has one.
    void release_lease(const RecordKey& key, const std::string& owner);

    /// Every winner, ordered by kernel, types, device class and bucket. Without their images.
    std::vector<Winner> winners();

    /// Measurements of one key, oldest first.
    std::vector<Measurement> measurements(const RecordKey& key);

    struct Check {
        std::int64_t winners = 0;
        std::int64_t measurements = 0;
        std::vector<std::string> problems;  ///< one line per bad row or failed integrity check
    };
    /// Reads every row. Reports, repairs nothing.
    Check verify();

    struct Status {
        std::string path;            ///< empty in memory
        std::string journal_mode;    ///< "delete", "wal" or "memory"
        std::string journal_reason;  ///< why that one
        std::string sqlite_version;
        std::int64_t schema_version = 0;
        std::int64_t bytes = 0;
    };
    Status status();

    /// Rows refused since opening.
    [[nodiscard]] std::int64_t bad_rows() const;

private:
    class Impl;
    explicit TuningStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace jitune::internal
