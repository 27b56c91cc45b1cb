// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/measure/memory_checksum.hpp"

#include <algorithm>

namespace jitune::internal {
namespace {

constexpr std::string_view kSumming = "take checksums of memory";
constexpr std::size_t kMostRegions = 256;  // of one launch

struct DeviceRegion {
    std::uint64_t address, bytes;
};

constexpr std::string_view kComparing = "compare memory";

}  // namespace

MemoryChecksum::MemoryChecksum(const std::shared_ptr<DriverDevice>& device, ServiceCode& code)
    : device_(device),
      work_(allocate_device_memory(device,
                                   kMostRegions * (sizeof(DeviceRegion) + sizeof(std::uint64_t)),
                                   "allocate the answer of a checksum")),
      kernel_(device, code, "checksum_regions") {}

std::vector<std::uint64_t> MemoryChecksum::sums(std::span<const MemoryRegion> regions,
                                                Stream stream) {
    const DriverTable& driver = device_->driver();
    const CUdeviceptr work = device_address(work_->data());
    const CUdeviceptr answer = work + kMostRegions * sizeof(DeviceRegion);
    std::vector<std::uint64_t> sums(regions.size());
    for (std::size_t done = 0; done < regions.size(); done += kMostRegions) {
        const auto some = regions.subspan(done, std::min(kMostRegions, regions.size() - done));
        std::vector<DeviceRegion> described;
        for (const MemoryRegion& region : some) {
            described.push_back({device_address(region.data), region.bytes});
        }
        const std::size_t answer_bytes = some.size() * sizeof(std::uint64_t);
        device_->check(driver.cuMemcpyHtoDAsync(work, described.data(),
                                                described.size() * sizeof(DeviceRegion), stream),
                       "cuMemcpyHtoDAsync", kSumming);
        device_->check(driver.cuMemsetD8Async(answer, 0, answer_bytes, stream), "cuMemsetD8Async",
                       kSumming);
        device_->check(kernel_.enqueue({work, some.size(), answer}, stream), "cuLaunchKernelEx",
                       kSumming);
        device_->check(driver.cuMemcpyDtoHAsync(sums.data() + done, answer, answer_bytes, stream),
                       "cuMemcpyDtoHAsync", kSumming);
        device_->check(driver.cuStreamSynchronize(stream), "cuStreamSynchronize", kSumming);
    }
    return sums;
}

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
