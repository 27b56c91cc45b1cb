// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "space/search_space.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {

/// One constraint or prune of a template.
struct ConstraintEffect {
    std::string text;
    bool is_prune = false;
    /// Combinations that it excludes, the others or not. Nothing if they are too many to count.
    std::optional<double> removed;
};

/// The search space of a problem on a device.
struct SpaceReport {
    double combinations = 0;  ///< of all values
    std::size_t legal = 0;    ///< of them, those that are legal and worth trying
    std::vector<ConstraintEffect> effects;
    std::string flaw;  ///< why there is no space: which constraint empties it
};

SpaceReport report_space(const KernelTemplate& kernel, const Problem& problem,
                         const DeviceInfo& device);

/// At most `most` configurations of a space, 0: all of them. The first is `standard`, then come
/// those of `wanted` that are in the space, and, for each parameter, the configurations nearest to
/// `standard` that have the parameter's first and last value. The rest are random, the same in each
/// run.
std::vector<Configuration> check_sample(const SearchSpace& space, const Configuration& standard,
                                        std::span<const Configuration> wanted, std::size_t most);

}  // namespace jitune::internal
