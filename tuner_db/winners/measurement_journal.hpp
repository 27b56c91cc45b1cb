// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/file_descriptor.hpp"
#include "support/message.hpp"
#include "tuner_db/tuning_store.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// Keeps the progress of a running tuning in a file beside the database, until the database has it:
/// `<database>-sweep-<pid>-<n>`, locked while its owner lives. If the process is killed, everything
/// written survives; if the machine goes down, everything announced survives. Used by one thread.
class MeasurementJournal {
public:
    /// Creates the file. Throws Error(store).
    explicit MeasurementJournal(const std::filesystem::path& database);
    /// Removes the file, unless it holds measurements that are not in the database; recover() finds
    /// them later.
    ~MeasurementJournal();
    MeasurementJournal(const MeasurementJournal&) = delete;
    MeasurementJournal& operator=(const MeasurementJournal&) = delete;

    /// Records candidates that are about to run, each with the verdict that it gets if the machine
    /// goes down before it is measured. When the function returns, they are on the disk. Throws
    /// Error(store).
    void announce(std::span<const Measurement> in_flight);

    /// Records a measurement. Throws Error(store).
    void add(const Measurement& measurement);

    /// Empties the journal, once the database holds everything in it. Throws Error(store).
    void clear();

    /// Saves the measurements in journals of ended processes to `store` and removes the journals.
    /// Candidates that were announced and not measured are saved only if the machine has gone down
    /// since, that is if `boot` differs. Returns the number of journals. Throws Error(store).
    static int recover(const std::filesystem::path& database, TuningStore& store,
                       const std::string& boot = this_boot());

    /// A journal that lies beside a database.
    struct Found {
        std::filesystem::path path;
        bool is_in_use = false;        ///< its tuning is under way
        std::size_t measurements = 0;  ///< that recover() would save; 0 while it is in use
    };
    /// The journals beside `database`. Changes nothing.
    static std::vector<Found> find(const std::filesystem::path& database,
                                   const std::string& boot = this_boot());

    /// Differs from boot to boot; empty if unknown.
    static std::string this_boot();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    bool lock_new_file();
    void append(const Message& message);
    void append(std::string_view kind, const Measurement& measurement);

    std::filesystem::path path_;
    FileDescriptor file_;
    bool empty_ = true;
};

}  // namespace jitune::internal
