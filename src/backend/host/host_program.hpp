// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/device.hpp"
#include "support/hash.hpp"
#include "support/shared_library.hpp"

namespace jitune::internal {

/// A compiled shared object in this process's memory, whose for_each() runs on HostThreads. Its
/// code stays for good: threads of OpenMP, in a user's kernel, and exit handlers must never lose
/// theirs.
class HostImage {
public:
    /// Throws Error(device) for an image that is not a shared object of this machine or does not
    /// load. `digest` is that of the image.
    HostImage(const std::string& image, const Digest& digest);

    /// Throws Error(device) if the image has no such symbol.
    [[nodiscard]] void* find(const std::string& symbol) const;

private:
    SharedLibrary library_;
};

/// Runs the steps of a launch one after the other on the calling thread.
class HostProgram final : public Program {
public:
    /// Takes the addresses of the arguments, as cuLaunchKernel does, and their number. Does nothing
    /// but answer the number that the kernel takes where it is another.
    using Entry = int (*)(void** arguments, int count);

    /// Throws Error(device) as HostImage::find does.
    HostProgram(std::shared_ptr<const HostImage> image, const std::vector<std::string>& symbols);

    void prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const override;

    /// Throws Error(device) if the program has no such entry.
    [[nodiscard]] Entry entry(std::uint32_t index) const;

private:
    std::shared_ptr<const HostImage> image_;
    std::vector<Entry> entries_;
};

}  // namespace jitune::internal
