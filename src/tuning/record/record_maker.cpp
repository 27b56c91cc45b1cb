// SPDX-License-Identifier: Apache-2.0
#include "tuning/record/record_maker.hpp"

#include <ctime>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "support/hash.hpp"

namespace jitune::internal {

namespace {

Provenance provenance_of(Device& device) {
    const DeviceInfo& info = device.info();
    return {info.name, info.uuid, info.driver, device.compiler(),
            fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))};
}

}  // namespace

RecordMaker::RecordMaker(const Task& task) : task_(task), provenance_(provenance_of(task.device)) {}

Measurement RecordMaker::measurement(const Evaluation& evaluation,
                                     const std::vector<double>& samples_ns,
                                     const Conditions& conditions) const {
    return {task_.key(),        task_.sizes(),     evaluation.configuration.text(),
            evaluation.verdict, evaluation.reason, conditions.text(),
            samples_ns,         provenance_,       task_.reproducibility(evaluation.configuration)};
}

Measurement RecordMaker::verdict(const std::string& configuration, Verdict verdict,
                                 std::string reason) const {
    return {task_.key(), task_.sizes(),     configuration,
            verdict,     std::move(reason), "",
            {},          provenance_,       task_.reproducibility(task_.parse(configuration))};
}

Winner RecordMaker::winner(const std::vector<Finalist>& finalists, const Gain& gain,
                           const Binary& binary, bool complete) const {
    const Finalist& first = finalists.front();
    return {task_.key(),
            task_.sizes(),
            first.evaluation->configuration.text(),
            first.summary.median_ns,
            first.summary.noise,
            gain.default_ns,
            complete,
            binary.format,
            *binary.image,
            binary.symbols,
            provenance_,
            task_.reproducibility(first.evaluation->configuration),
            gain.certainty};
}

KeptBinary kept_place(const Task& task, const Configuration& configuration,
                      const Instance& instance) {
    Hasher hasher("instance");
    hasher.text(instance.program());
    for (const std::string& expression : instance.expressions) {
        hasher.text(expression);
    }
    const RecordKey key = task.key();
    KeptBinary place;
    place.kernel = key.kernel;
    place.types = key.types;
    place.configuration = configuration.text();
    place.template_hash = key.template_hash;
    place.device_class = key.device_class;
    place.instance = hex(hasher.digest());
    return place;
}

}  // namespace jitune::internal
