// SPDX-License-Identifier: Apache-2.0
#include "families/entropy/entropy_call.hpp"

#include <bit>
#include <string>

#include <fmt/format.h>

#include "families/entropy/entropy_kernel.hpp"
#include "placement/machine_device.hpp"

namespace jitune::internal {

namespace {

/// As numbers: arrays that are not one cannot be compared as pointers.
bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
    const auto first = reinterpret_cast<std::uintptr_t>(a);
    const auto second = reinterpret_cast<std::uintptr_t>(b);
    return first < second + b_bytes && second < first + a_bytes;
}

}  // namespace

std::array<void*, 3> entropy_arrays(const detail::EntropyRequest& request, const void* input,
                                    float* output) {
    const auto scale = std::bit_cast<std::uint64_t>(scale_of(request.entropy));
    return {const_cast<void*>(input), reinterpret_cast<void*>(scale), output};
}

ProblemWords entropy_words(const detail::EntropyRequest& request) {
    static constexpr char kKind = 0;  // its address tells these keys from those of other operations
    return {&kKind,
            static_cast<std::uint64_t>(request.element) |
                static_cast<std::uint64_t>(request.entropy.window) << 8 |
                static_cast<std::uint64_t>(request.entropy.levels) << 16 |
                static_cast<std::uint64_t>(row_alignment(request)) << 32,
            0};
}

void refuse_bad_arrays(const detail::EntropyRequest& request, const void* input,
                       const float* output) {
    const auto refuse = [](const std::string& what) {
        throw Error(ErrorKind::usage, "entropy: " + what);
    };
    const std::size_t element = bytes_of(request.element);
    if (input == nullptr || output == nullptr) {
        refuse(fmt::format("the {} is a null pointer", input == nullptr ? "input" : "output"));
    }
    if (reinterpret_cast<std::uintptr_t>(input) % element != 0) {
        refuse(fmt::format("the input is not aligned to {} bytes", element));
    }
    if (reinterpret_cast<std::uintptr_t>(output) % sizeof *output != 0) {
        refuse(fmt::format("the output is not aligned to {} bytes", sizeof *output));
    }
    const auto count = static_cast<std::size_t>(request.rows * request.columns);
    if (overlap(input, count * element, output, count * sizeof *output)) {
        refuse("input and output overlap: windows would be read after they have changed");
    }
}

const Kernel& entropy_kernel_on(const Device& device) {
    const PlatformKind platform = device.info().platform;
    return platform == PlatformKind::machine ? placed_kernel(device, "entropy")
                                             : entropy_kernel(platform);
}

const Resolved& resolve_entropy(Engine& engine, Device& device,
                                const detail::EntropyRequest& request, const StreamSite* site) {
    const DispatchKey key{&device, entropy_words(request), size_bucket(sizes_of(request))};
    if (const Resolved* known = engine.table().find(key)) {
        return *known;
    }
    if (site != nullptr) {
        site->refuse_capture("the first tuned_entropy of a problem");
    }
    return engine.resolve(key, {device, entropy_kernel_on(device), entropy_problem(request)});
}

}  // namespace jitune::internal
