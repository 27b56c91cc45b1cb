// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/piece_copier.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "support/embedded.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kPieces = 4;  // of one launch, as in copy_pieces.ptx
constexpr unsigned kThreadsOfBlock = 256;
constexpr std::size_t kBytesOfBlock = 2 * 16 * kThreadsOfBlock;
constexpr std::size_t kMostBlocks = 64;

}  // namespace

PieceCopier::PieceCopier(const std::shared_ptr<DriverDevice>& device)
    : device_(device), library_(device, &DriverTable::cuLibraryUnload) {
    constexpr const char* loading = "load the kernel that copies pieces";
    const std::string text(embedded::cuda_ptx.front().text);
    const ContextScope scope(*device);
    device->call(&DriverTable::cuLibraryLoadData, loading, library_.out(), text.c_str(), nullptr,
                 nullptr, 0, nullptr, nullptr, 0);
    device->call(&DriverTable::cuLibraryGetKernel, loading, &kernel_, library_.get(),
                 "jitune_copy_pieces");
}

void PieceCopier::enqueue(std::span<const MemoryCopy> copies, Stream stream,
                          const char* tried) const {
    while (!copies.empty()) {
        const auto now = copies.first(std::min(copies.size(), kPieces));
        copies = copies.subspan(now.size());
        std::array<std::uint64_t, 3 * kPieces> cells{};
        std::size_t most = 1;
        for (std::size_t i = 0; i < now.size(); ++i) {
            cells[3 * i] = device_address(now[i].to);
            cells[3 * i + 1] = device_address(now[i].from);
            cells[3 * i + 2] = now[i].bytes;
            most = std::max(most, now[i].bytes);
        }
        std::array<void*, cells.size() + 1> arguments{};
        std::transform(cells.begin(), cells.end(), arguments.begin(),
                       [](std::uint64_t& cell) { return &cell; });
        CUlaunchConfig config{};
        config.gridDimX = static_cast<unsigned>(
            std::min((most + kBytesOfBlock - 1) / kBytesOfBlock, kMostBlocks));
        config.gridDimY = static_cast<unsigned>(now.size());
        config.gridDimZ = 1;
        config.blockDimX = kThreadsOfBlock;
        config.blockDimY = config.blockDimZ = 1;
        config.hStream = stream;
        device_->call(&DriverTable::cuLaunchKernelEx, tried, &config,
                      reinterpret_cast<CUfunction>(kernel_), arguments.data(), nullptr);
    }
}

}  // namespace jitune::internal
