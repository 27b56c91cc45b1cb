// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dispatch/answer/call.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "jitune/entropy.hpp"
#include "spread/placed_call.hpp"

namespace jitune::internal {

/// Throws Error(usage) for null, misaligned or overlapping arrays.
void refuse_bad_entropy_data(const detail::EntropyRequest& request, const void* input,
                             const float* output);

/// The built-in kernel for a device, or its placements for the machine.
const Kernel& entropy_kernel_on(const Device& device);

/// The arguments of a call in the template's order.
std::array<void*, 3> entropy_arguments(const detail::EntropyRequest& request, const void* input,
                                       float* output);

/// An entropy that has elements. Refers to the request, which must outlive it.
class EntropyCall {
public:
    static constexpr const char* kFirstCall = "the first tuned_entropy of a problem";

    /// The pointers may be null if the call is not launched.
    explicit EntropyCall(const detail::EntropyRequest& request, const void* input = nullptr,
                         float* output = nullptr)
        : request_(request), sizes_(sizes_of(request)), input_(input), output_(output) {}

    [[nodiscard]] CallKey memo_key(const StreamSite& site) const {
        return {site.serial(), words(), {sizes_[0], sizes_[1], 0}};
    }
    [[nodiscard]] DispatchKey table_key(const Device& device) const {
        return {&device, words(), size_bucket(sizes_)};
    }
    [[nodiscard]] std::span<const std::int64_t> sizes() const { return sizes_; }
    [[nodiscard]] std::array<void*, 3> arguments() const {
        return entropy_arguments(request_, input_, output_);
    }
    const Resolved& answer(Engine& engine, const DispatchKey& key, Device& device) const;

private:
    /// Requests with equal words are answered by the same kernel for the same sizes.
    [[nodiscard]] ProblemWords words() const;

    const detail::EntropyRequest& request_;
    std::array<std::int64_t, 2> sizes_;
    const void* input_;
    float* output_;
};

/// The engine's answer to a good request that has elements.
inline const Resolved& resolve_entropy(Engine& engine, Device& device,
                                       const detail::EntropyRequest& request) {
    return resolve(engine, device, EntropyCall(request));
}

extern const PlacedOperation kPlacedEntropy;

/// Works on host memory as `placement` says, for a good request that has elements. With `as_bytes`
/// levels are sent to the devices as uint8. Throws as HostPipeline::run does.
void run_placed_entropy(Machine& machine, const Placement& placement, bool as_bytes,
                        const detail::EntropyRequest& request, const void* input, float* output);

/// Writes `count` elements of uint8, int32 or float32 as levels of one byte. An element
/// outside of [0, levels) becomes the nearest level, a NaN 0, and a fraction is rounded, as in the
/// host's entropy kernel.
void write_level_bytes(const void* elements, ElementType type, std::size_t count, int levels,
                       std::uint8_t* to);

}  // namespace jitune::internal
