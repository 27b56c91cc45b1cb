// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "support/log.hpp"
#include "tuner_db/tuning_store.hpp"
#include "tuner_db/winners/measurement_journal.hpp"
#include "tuning/record/record_maker.hpp"
#include "tuning/tune_hooks.hpp"

namespace jitune::internal {

/// Keeps the measurements of one tuning: at once in a journal file beside the database, at the end
/// in the database. A journal that cannot be written is logged, and the tuning goes on without it.
/// Used by one thread.
class MeasurementRecorder : public TuneObserver {
public:
    /// An empty `database`: no journal file. `record_maker` and `log` must outlive it.
    MeasurementRecorder(const std::filesystem::path& database, const RecordMaker& record_maker,
                        const Log& log);

    void announce(std::span<const std::string> configurations) override;
    void measured(const Measurement& measurement) override;

    /// Puts all measurements into `store`, and removes the journal file. Throws Error(store); the
    /// file then stays for a later process.
    void save(TuningStore& store);
    /// As save(), with the winner. Returns the winner that serves `sizes` then.
    std::optional<Winner> save(TuningStore& store, const Winner& winner,
                               std::span<const std::int64_t> sizes);

private:
    template <class Action>
    void with_journal(Action action);
    void clear_journal();

    const RecordMaker& record_maker_;
    const Log& log_;
    std::vector<Measurement> measurements_;
    std::size_t in_flight_ = 0;  ///< announced and not measured
    std::unique_ptr<MeasurementJournal> journal_;
};

}  // namespace jitune::internal
