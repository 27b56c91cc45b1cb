// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tuner_db/winners/binary_table.hpp"
#include "tuner_db/winners/record.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// Makes the database records of one tuning. Thread-safe.
class RecordMaker {
public:
    /// Throws Error(unavailable) if there is no compiler.
    explicit RecordMaker(const Task& task);

    [[nodiscard]] const Task& task() const { return task_; }
    [[nodiscard]] const Provenance& provenance() const { return provenance_; }

    [[nodiscard]] Measurement measurement(const Evaluation& evaluation,
                                          const std::vector<double>& samples_ns,
                                          const Conditions& conditions) const;

    /// The record of a candidate that ended with its process. Throws Error(usage) if
    /// `configuration` does not parse.
    [[nodiscard]] Measurement verdict(const std::string& configuration, Verdict verdict,
                                      std::string reason) const;

    /// `finalists` begin with the winner; `binary` holds the winner's code alone.
    [[nodiscard]] Winner winner(const std::vector<Finalist>& finalists, const Gain& gain,
                                const Binary& binary, bool complete) const;

private:
    Task task_;
    Provenance provenance_;
};

/// The row under which the database keeps the code of a configuration, whose instance is
/// `instance`: a KeptBinary without compiler and code.
KeptBinary kept_place(const Task& task, const Configuration& configuration,
                      const Instance& instance);

}  // namespace jitune::internal
