// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "template/kernel_template.hpp"
#include "tuner_db/record.hpp"
#include "tuning/finals.hpp"

namespace jitune::internal {

/// A winner beside the template's default.
struct Gain {
    double default_ns = 0;  ///< 0: the default failed
    Certainty certainty;
};

/// Makes the records of tuning one problem, whose parts must outlive it.
class Recorder {
public:
    /// Throws Error(unavailable) where there is no compiler.
    Recorder(const KernelTemplate& kernel, const Problem& problem, Device& device);

    [[nodiscard]] RecordKey key() const { return kernel_.key(problem_, device_); }
    [[nodiscard]] std::string sizes() const;
    [[nodiscard]] const Provenance& provenance() const { return provenance_; }

    [[nodiscard]] Measurement measurement(const Evaluation& evaluation,
                                          const std::vector<double>& samples_ns,
                                          std::string conditions) const;

    /// Of a candidate that has come to no end of its own. Throws Error(usage) for a text that is no
    /// configuration.
    [[nodiscard]] Measurement verdict(const std::string& configuration, Verdict verdict,
                                      std::string reason) const;

    /// `finalists` begin with the winner, whose code alone is `binary`.
    [[nodiscard]] Winner winner(const std::vector<Finalist>& finalists, const Gain& gain,
                                const Binary& binary, bool complete) const;

private:
    [[nodiscard]] std::string reproducibility(const Configuration& configuration) const;

    const KernelTemplate& kernel_;
    const Problem& problem_;
    const DeviceInfo& device_;
    Provenance provenance_;
};

}  // namespace jitune::internal
