// SPDX-License-Identifier: Apache-2.0
#include "tuning/record/measurement_recorder.hpp"

#include "jitune/error.hpp"
#include "tuning/search/tuning_history.hpp"

namespace jitune::internal {

MeasurementRecorder::MeasurementRecorder(const std::filesystem::path& database,
                                         const RecordMaker& record_maker, const Log& log)
    : record_maker_(record_maker), log_(log) {
    if (!database.empty()) {
        with_journal([&] { journal_ = std::make_unique<MeasurementJournal>(database); });
    }
}

template <class Action>
void MeasurementRecorder::with_journal(Action action) {
    try {
        action();
    } catch (const Error& error) {
        log_.warning("{}; measurements are kept in memory until the tuning ends", error.what());
        journal_.reset();
    }
}

void MeasurementRecorder::announce(std::span<const std::string> configurations) {
    in_flight_ += configurations.size();
    if (journal_ == nullptr) {
        return;
    }
    std::vector<Measurement> in_flight;
    for (const std::string& configuration : configurations) {
        in_flight.push_back(record_maker_.verdict(configuration, Verdict::crashed,
                                                  machine_down_reason(in_flight_ - 1)));
    }
    with_journal([&] { journal_->announce(in_flight); });
}

void MeasurementRecorder::measured(const Measurement& measurement) {
    in_flight_ -= in_flight_ > 0 ? 1 : 0;
    measurements_.push_back(measurement);
    if (journal_ != nullptr) {
        with_journal([&] { journal_->add(measurement); });
    }
}

void MeasurementRecorder::clear_journal() {
    if (journal_ != nullptr) {
        with_journal([&] { journal_->clear(); });
    }
}

void MeasurementRecorder::save(TuningStore& store) {
    store.save(measurements_);
    clear_journal();
}

std::optional<Winner> MeasurementRecorder::save(TuningStore& store, const Winner& winner,
                                                std::span<const std::int64_t> sizes) {
    auto serving = store.save(measurements_, {&winner, 1}, sizes);
    clear_journal();
    return serving;
}

}  // namespace jitune::internal
