// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "support/log.hpp"
#include "tuner_db/sweep_journal.hpp"
#include "tuner_db/tuning_store.hpp"
#include "tuning/recorder.hpp"
#include "tuning/tune_observer.hpp"

namespace jitune::internal {

/// Keeps what one tuning measures: at once in a journal beside the database, at the end in the
/// database. Where the journal cannot be kept, that is logged and the tuning goes on. Used by one
/// thread.
class TuningRecord : public TuneObserver {
public:
    /// An empty `database`: no journal. `recorder` must outlive it.
    TuningRecord(const std::filesystem::path& database, const Recorder& recorder, const Log& log);

    void announce(std::span<const std::string> configurations) override;
    void compiling(std::uint64_t, std::span<const std::string>) override {}
    void compiled(std::uint64_t) override {}
    void begin(const std::string&, Phase) override {}
    void measured(const Measurement& measurement) override;

    /// Puts all of it into `store`, with the winner if there is one, and ends the journal. Throws
    /// Error(store), and the journal then stays for a later process.
    void save(TuningStore& store, const std::optional<Winner>& winner);

private:
    template <class Action>
    void with_journal(Action action);

    const Recorder& recorder_;
    const Log& log_;
    std::vector<Measurement> measurements_;
    std::size_t in_flight_ = 0;  ///< announced and not measured
    std::unique_ptr<SweepJournal> journal_;
};

}  // namespace jitune::internal
