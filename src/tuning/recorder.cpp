// SPDX-License-Identifier: Apache-2.0
#include "tuning/recorder.hpp"

#include <ctime>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace jitune::internal {

namespace {

Provenance provenance_of(Device& device) {
    const DeviceInfo& info = device.info();
    return {info.name, info.uuid, info.driver, device.compiler(),
            fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))};
}

}  // namespace

Recorder::Recorder(const KernelTemplate& kernel, const Problem& problem, Device& device)
    : kernel_(kernel),
      problem_(problem),
      device_(device.info()),
      provenance_(provenance_of(device)) {}

std::string Recorder::sizes() const {
    return sizes_text(problem_, kernel_.front_matter().sizes);
}

std::string Recorder::reproducibility(const Configuration& configuration) const {
    return kernel_.reproducibility(configuration, problem_, device_);
}

Measurement Recorder::measurement(const Evaluation& evaluation,
                                  const std::vector<double>& samples_ns,
                                  std::string conditions) const {
    return {key(),
            sizes(),
            evaluation.configuration.text(),
            evaluation.verdict,
            evaluation.reason,
            std::move(conditions),
            samples_ns,
            provenance_,
            reproducibility(evaluation.configuration)};
}

Measurement Recorder::verdict(const std::string& configuration, Verdict verdict,
                              std::string reason) const {
    const Configuration parsed =
        Configuration::parse(configuration, kernel_.front_matter().parameters);
    return {key(), sizes(),     configuration,          verdict, std::move(reason), "",
            {},    provenance_, reproducibility(parsed)};
}

Winner Recorder::winner(const std::vector<Finalist>& finalists, const Gain& gain,
                        const Binary& binary, bool complete) const {
    const Finalist& first = finalists.front();
    return {key(),
            sizes(),
            first.evaluation->configuration.text(),
            first.summary.median_ns,
            first.summary.noise,
            gain.default_ns,
            complete,
            binary.format,
            *binary.image,
            binary.symbols,
            provenance_,
            reproducibility(first.evaluation->configuration),
            gain.certainty};
}

}  // namespace jitune::internal
