// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "jitune/element_type.hpp"
#include "spread/host_pipeline.hpp"

namespace jitune::internal {

/// The arguments of the name expression of a placement, read from the first to the last:
/// `jitune::place_stencil<float, 8, jitune::Weighting::sum, …>` has "float", "8", "sum". Every
/// function reads the next argument, and throws Error(device) if it is missing or has another form.
class PlacedValues {
public:
    /// `expression` must outlive it.
    explicit PlacedValues(std::string_view expression);

    ElementType element();
    /// A whole number in [0, 2^20].
    int integer();
    /// One of `words`.
    std::string_view word(std::initializer_list<std::string_view> words);
    /// Throws Error(device) if values are left.
    void finish() const;

private:
    std::string_view next();

    std::string_view rest_;  ///< not read yet
};

/// Where an operation on host memory runs and how its data is transferred: the parameters of
/// kernel_templates/include/placement.toml.
struct Placement {
    enum class Processors { host, gpus, all } processors = Processors::gpus;
    int gpus = 1;
    int slots = 4;  ///< chunks that a GPU works on at the same time
    std::size_t chunk_bytes = std::size_t{4} << 20;
    Staging staging = Staging::pinned;
    Device* only = nullptr;  ///< the one GPU to use

    /// On one GPU, with the values above.
    static Placement on(Device& gpu);

    /// Reads all remaining values, in the template's order. Throws Error(device) for invalid ones.
    static Placement read(PlacedValues& values);

    /// The devices of a machine that share the work, each with the kernel that `resolve` gives for
    /// it. Throws Error(device) if the machine has fewer GPUs than the placement uses.
    [[nodiscard]] std::vector<DeviceShare> shares(
        std::span<Device* const> gpus_of_machine, Device& host,
        const std::function<const Resolved&(Device&)>& resolve) const;
};

}  // namespace jitune::internal
