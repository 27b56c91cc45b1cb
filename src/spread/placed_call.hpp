// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dispatch/answer/dispatch_table.hpp"
#include "jitune/element_type.hpp"
#include "spread/host_pipeline.hpp"
#include "template/kernel.hpp"

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

class Engine;
class Machine;
struct Family;

/// One call of a family on an array in host memory, which a placement shares out. Thread-safe.
class PlacedCall {
public:
    virtual ~PlacedCall() = default;

    /// Of the whole array, in the order of the template's `sizes`.
    [[nodiscard]] virtual std::span<const std::int64_t> sizes() const = 0;

    /// The answer for the whole array in one launch.
    [[nodiscard]] virtual const Resolved& resolve_whole(Engine& engine, Device& device) const = 0;
    /// The answer for its chunks.
    [[nodiscard]] virtual const Resolved& resolve_chunks(Engine& engine, Device& device) const = 0;

    /// Tunes the kernels that placements of such a call use on a device.
    virtual void prepare(Engine& engine, Device& device, bool is_host) const = 0;

    /// The call in chunks. `arrays` are its arguments in the template's order.
    [[nodiscard]] virtual HostWork work(void* const* arrays) const = 0;
};

/// How a family's calls on host memory are shared out over a machine: Family::placed. The template
/// of the placements is `<family>.machine.cpp`, and its entry `jitune::place_<family>`.
struct PlacedOperation {
    /// Reads the values of `jitune::place_<family><…>` before those of Placement, for a call on an
    /// array of `sizes`. Throws Error for invalid values.
    std::unique_ptr<PlacedCall> (*read)(PlacedValues& values, std::span<const std::int64_t> sizes);
    /// The call of a problem of the family.
    std::unique_ptr<PlacedCall> (*call_of)(const Problem& problem);
    /// Workload::timed() of the family's kernels.
    Case (*timed)(const Problem& problem);
    /// Which arguments of a launch are the sizes.
    std::span<const std::size_t> size_arguments;
};

/// The kernel whose configurations are the placements of `family`, which has a row `placed`.
Kernel make_placed_kernel(Machine& machine, const Family& family);

/// The placement that a name expression of that kernel describes. Throws Error for invalid values.
std::shared_ptr<const Program> load_placement(Machine& machine, const PlacedOperation& operation,
                                              std::string_view expression);

/// Works on host memory as `placement` says. `arrays` are the arguments of the call in the
/// template's order. Throws as HostPipeline::run does.
void run_placed(Machine& machine, const Placement& placement, const PlacedCall& call,
                void* const* arrays);

}  // namespace jitune::internal
