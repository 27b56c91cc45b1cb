// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/measure/memory_comparison.hpp"

namespace jitune::internal {
namespace {

constexpr std::string_view kComparing = "compare memory";

}  // namespace

MemoryComparison::MemoryComparison(const std::shared_ptr<DriverDevice>& device, ServiceCode& code)
    : device_(device),
      different_(allocate_device_memory(device, sizeof(std::uint32_t),
                                        "allocate the answer of a comparison")),
      kernel_(device, code, "compare_bytes") {}

bool MemoryComparison::equal(const void* one, const void* other, std::size_t bytes,
                             Stream stream) const {
    const DriverTable& driver = device_->driver();
    const CUdeviceptr answer = device_address(different_->data());
    std::uint32_t different = 1;
    device_->check(driver.cuMemsetD8Async(answer, 0, sizeof different, stream), "cuMemsetD8Async",
                   kComparing);
    device_->check(
        kernel_.enqueue({device_address(one), device_address(other), bytes, answer}, stream),
        "cuLaunchKernelEx", kComparing);
    device_->check(driver.cuMemcpyDtoHAsync(&different, answer, sizeof different, stream),
                   "cuMemcpyDtoHAsync", kComparing);
    device_->check(driver.cuStreamSynchronize(stream), "cuStreamSynchronize", kComparing);
    return different == 0;
}

}  // namespace jitune::internal
