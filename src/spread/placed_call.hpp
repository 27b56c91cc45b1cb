// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "dispatch/answer/dispatch_table.hpp"
#include "spread/host_work.hpp"
#include "spread/placement.hpp"
#include "template/kernel.hpp"

namespace jitune::internal {

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
    /// The data on which the family's kernels are judged.
    std::unique_ptr<Workload> (*make_workload)();
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
