// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "backend/device.hpp"
#include "template/kernel.hpp"

namespace jitune::internal {

struct PlacedOperation;  // spread/placed_call.hpp

/// One launch, as the database names it.
struct NamedLaunch {
    std::string_view kernel;  ///< RecordKey::kernel, without the name of a custom operation
    std::string_view types;   ///< RecordKey::types
    std::span<const std::int64_t> sizes;
    double element;  ///< bytes of the type `element`

    [[nodiscard]] double size(std::size_t place) const { return static_cast<double>(sizes[place]); }
};

/// A family of kernels: one row of the table in families/families.cpp.
struct Family {
    std::string_view name;  ///< the first field of its kernels' specs
    /// Makes a kernel from its Kernel::spec, in a worker. Throws Error(usage) for a malformed spec.
    Kernel (*make_kernel)(std::span<const std::string> spec);
    /// The bytes that a launch of one of its kernels reads and writes; nothing for the launch of
    /// another kernel, or with another number of sizes. Null: nobody knows.
    std::optional<double> (*launch_bytes)(const NamedLaunch& launch) = nullptr;
    /// How its calls on host memory are shared out over a machine; null: they are not.
    const PlacedOperation* placed = nullptr;
    /// Finds the code of an instance in the library, which comes with the code of some built-in
    /// kernels. Null if the family has no such code.
    std::optional<Binary> (*compiled)(const DeviceInfo& device, const Instance& instance) = nullptr;
};

/// The family of `families` that a spec names, or null.
const Family* family_of(std::span<const Family> families, std::span<const std::string> spec);

/// The kernel of a spec whose family is one of `families`. Throws Error(usage) for any other spec.
Kernel make_kernel(std::span<const Family> families, std::span<const std::string> spec);

}  // namespace jitune::internal
