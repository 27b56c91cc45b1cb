// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "jitune/element_type.hpp"
#include "placement/host_pipeline.hpp"

namespace jitune::internal {

class Machine;

/// Where an operation on host memory runs and how its data comes there: the parameters of
/// kernel_templates/include/placement.toml.
struct Placement {
    enum class Processors { host, gpus, all } processors = Processors::gpus;
    int gpus = 1;
    int slots = 4;  ///< chunks that a GPU has in work at a time
    std::size_t chunk_bytes = std::size_t{4} << 20;
    Staging staging = Staging::pinned;
    Device* only = nullptr;  ///< the one GPU that is to be used

    /// On one GPU, by the values above.
    static Placement on(Device& gpu);

    /// From the values in the order of the template, as its name expression has them. Throws
    /// Error(device) for others.
    static Placement parse(std::span<const std::string> values);

    /// The lanes of a machine with the kernel that `resolve` gives for each device.
    [[nodiscard]] std::vector<Lane> lanes(
        Machine& machine, const std::function<const Resolved&(Device&)>& resolve) const;
};

/// The element type of such a name. Throws Error(device) for another.
ElementType placed_element(const std::string& name);

/// The arguments of a name expression: "a::f<int, a::K::x, 3>" gives "int", "x", "3".
std::vector<std::string> expression_values(const std::string& expression);

}  // namespace jitune::internal
