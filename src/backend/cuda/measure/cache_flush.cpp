// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/measure/cache_flush.hpp"

#include <algorithm>

#include "backend/cuda/driver/context.hpp"

namespace jitune::internal {
namespace {

constexpr std::size_t kSmallestBuffer = std::size_t{64} << 20U;
constexpr std::size_t kWordBytes = 16;

std::size_t buffer_bytes(const DriverDevice& device) {
    const auto l2_bytes = static_cast<std::size_t>(device.attribute("l2_bytes"));
    return std::max(4 * l2_bytes, kSmallestBuffer);
}

}  // namespace

CacheFlush::CacheFlush(const std::shared_ptr<DriverDevice>& device, ServiceCode& code,
                       Stream stream)
    : buffer_(allocate_device_memory(device, buffer_bytes(*device),
                                     "allocate the buffer that flushes the L2 cache")),
      sink_(allocate_device_memory(device, sizeof(std::uint32_t), "allocate the flush's sink")),
      kernel_(device, code, "read_flush") {
    const ContextScope scope(*device);
    device->check(device->driver().cuMemsetD8Async(device_address(buffer_->data()), 0,
                                                   buffer_->bytes(), stream),
                  "cuMemsetD8Async", "fill the buffer that flushes the L2 cache");
}

CUresult CacheFlush::enqueue(Stream stream) const {
    return kernel_.enqueue({device_address(buffer_->data()), buffer_->bytes() / kWordBytes, 0,
                            device_address(sink_->data())},
                           stream);
}

}  // namespace jitune::internal
