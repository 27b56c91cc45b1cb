// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device.hpp"
#include "backend/launch.hpp"

namespace jitune::internal {

/// The resources that a compiled kernel uses, per thread or per block.
struct KernelResources {
    std::int64_t registers = 0;          ///< of a thread
    std::int64_t spill_store_bytes = 0;  ///< of a thread that lacks registers
    std::int64_t spill_load_bytes = 0;
    std::int64_t stack_bytes = 0;   ///< of a thread, spills and local arrays
    std::int64_t barriers = 1;      ///< of a block
    std::int64_t shared_bytes = 0;  ///< of a block, without dynamic shared memory
};

/// How many blocks of a launch one multiprocessor holds at a time.
struct Occupancy {
    std::int64_t blocks_per_sm = 0;
    double share = 0;   ///< of the warps that the multiprocessor has room for
    std::string limit;  ///< what it is limited by: "registers", "shared memory", "warps", "blocks"
};

/// Tells about compiled kernels without a device. Immutable; thread-safe.
class KernelInspector {
public:
    virtual ~KernelInspector() = default;

    /// The architectures that it knows, oldest first: "sm_75".
    [[nodiscard]] virtual std::vector<std::string> architectures() const { return {}; }

    /// A device of an architecture. Properties that differ within the architecture are those of a
    /// usual product. Nothing for an unknown architecture.
    [[nodiscard]] virtual std::optional<DeviceInfo> device(
        std::string_view /*architecture*/) const {
        return std::nullopt;
    }

    /// A device of a DeviceInfo::device_class, with all attributes that expressions use. Nothing
    /// for a class of another platform, and for one that does not tell them all.
    [[nodiscard]] virtual std::optional<DeviceInfo> device_of_class(
        const std::string& /*device_class*/) const {
        return std::nullopt;
    }

    /// The compiler options with which Binary::log has what resources() reads.
    [[nodiscard]] virtual std::vector<std::string> options() const = 0;

    /// The resources of the kernel with this symbol; nothing if the log does not say.
    [[nodiscard]] virtual std::optional<KernelResources> resources(
        std::string_view /*log*/, std::string_view /*symbol*/) const {
        return std::nullopt;
    }

    /// The bytes of each parameter of the kernel with this symbol, in their order; nothing if
    /// its code does not say.
    [[nodiscard]] virtual std::optional<std::vector<std::int64_t>> parameters(
        const Binary& binary, std::string_view symbol) const = 0;

    /// Why no device that it knows can read an array as this texture: its texels, and what is
    /// wrong. Empty if each can.
    [[nodiscard]] virtual std::string flaw_of_texture(const TextureView& /*view*/) const {
        return "";
    }

    /// The occupancy of blocks of `threads` with `dynamic_bytes` of dynamic shared memory. Nothing
    /// for a launch or a device that it cannot judge.
    [[nodiscard]] virtual std::optional<Occupancy> occupancy(const DeviceInfo& /*device*/,
                                                             const KernelResources& /*resources*/,
                                                             std::int64_t /*threads*/,
                                                             std::int64_t /*dynamic_bytes*/) const {
        return std::nullopt;
    }
};

using MakeInspector = std::unique_ptr<const KernelInspector> (*)();

}  // namespace jitune::internal
