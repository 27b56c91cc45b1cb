// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "support/file_descriptor.hpp"
#include "support/message.hpp"
#include "tuner_db/record.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {

/// What a tuning under way has done, in a file beside the database until it is in the database:
/// `<database>-sweep-<pid>-<n>`, locked while its owner lives. A process that is killed loses
/// nothing that it has written; a machine that goes down loses nothing that was announced. Used by
/// one thread.
class SweepJournal {
public:
    /// Makes the file. Throws Error(store).
    explicit SweepJournal(const std::filesystem::path& database);
    /// Removes it, unless it holds what is not in the database: that is recovered later.
    ~SweepJournal();
    SweepJournal(const SweepJournal&) = delete;
    SweepJournal& operator=(const SweepJournal&) = delete;

    /// Candidates that are about to run. Each is a measurement as it shall be if the machine goes
    /// down before the true one is there; on the disk when this returns. Throws Error(store).
    void announce(std::span<const Measurement> in_flight);

    /// Throws Error(store).
    void add(const Measurement& measurement);

    /// All of it is in the database. Throws Error(store).
    void clear();

    /// Puts what journals of processes that have ended hold into `store` and removes them; what
    /// they had announced and not measured only where the machine has gone down since, which
    /// `boot` tells. Returns the number of journals. Throws Error(store).
    static int recover(const std::filesystem::path& database, TuningStore& store,
                       const std::string& boot = this_boot());

    /// Differs from boot to boot; empty where it is not known.
    static std::string this_boot();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    void append(const Message& message);

    std::filesystem::path path_;
    FileDescriptor file_;
    bool empty_ = true;
};

}  // namespace jitune::internal
