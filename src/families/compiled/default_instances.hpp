// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "backend/device.hpp"
#include "families/reduce/reduce_kernel.hpp"

namespace jitune::internal {

/// Every `count`-th of many things, from number `first` on.
struct Share {
    std::size_t first = 0;
    std::size_t count = 1;
};

/// The instances of a reduction's template defaults on a device with these properties, each once:
/// of all sizes, and of all types and operations on the host, of the common ones on a GPU.
std::vector<Instance> default_instances(ReduceKind kind, const DeviceInfo& device,
                                        Share share = {});

}  // namespace jitune::internal
