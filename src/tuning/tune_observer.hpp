// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "tuner_db/record.hpp"

namespace jitune::internal {

struct TuneProgress {
    std::size_t space = 0;      ///< configurations in the search space
    std::size_t evaluated = 0;  ///< with a verdict
    std::size_t failed = 0;     ///< with a verdict other than timed
    std::optional<double> best_ns;
};

/// Sees a tuning's steps as they begin, so that whoever watches it knows what was under way when it
/// came to an end. Configurations are given as their texts.
class TuneObserver {
public:
    virtual ~TuneObserver() = default;

    /// These will be compiled and run; none runs before this returns.
    virtual void announce(std::span<const std::string> configurations) = 0;

    /// A compiler begins to work on `configurations`, on one of many threads, and has come back.
    /// `batch` tells one such call from the others.
    virtual void compiling(std::uint64_t batch, std::span<const std::string> configurations) = 0;
    virtual void compiled(std::uint64_t batch) = 0;

    /// What the device is given next.
    enum class Phase { check, time };
    virtual void begin(const std::string& configuration, Phase phase) = 0;

    /// A verdict, or the samples of a finalist.
    virtual void measured(const Measurement& measurement) = 0;
};

}  // namespace jitune::internal
