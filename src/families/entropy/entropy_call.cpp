// SPDX-License-Identifier: Apache-2.0
#include "families/entropy/entropy_call.hpp"

#include <bit>

#include "dispatch/answer/call_check.hpp"
#include "jitune/error.hpp"
#include "spread/machine_device.hpp"

namespace jitune::internal {

void refuse_bad_entropy_data(const detail::EntropyRequest& request, const void* input,
                             const float* output) {
    const std::size_t element = bytes_of(request.element);
    refuse_bad_pointer(kEntropyFamily, "the input", input, element);
    refuse_bad_pointer(kEntropyFamily, "the output", output, sizeof *output);
    const auto count = static_cast<std::size_t>(request.rows * request.columns);
    if (overlap(input, count * element, output, count * sizeof *output)) {
        throw Error(ErrorKind::usage,
                    "entropy: the output overlaps the input: give it memory of its own");
    }
}

const Kernel& entropy_kernel_on(const Device& device) {
    return kernel_on(device, kEntropyFamily, entropy_kernel);
}

std::array<void*, 3> entropy_arguments(const detail::EntropyRequest& request, const void* input,
                                       float* output) {
    const auto scale = std::bit_cast<std::uint64_t>(scale_of(request.entropy));
    return {const_cast<void*>(input), argument_of(scale), output};
}

ProblemWords EntropyCall::words() const {
    static constexpr KernelTag kTag;
    return {&kTag,
            static_cast<std::uint64_t>(request_.element) |
                static_cast<std::uint64_t>(request_.entropy.window) << 8 |
                static_cast<std::uint64_t>(request_.entropy.levels) << 16 |
                static_cast<std::uint64_t>(row_alignment(request_)) << 32,
            0};
}

const Resolved& EntropyCall::answer(Engine& engine, const DispatchKey& key, Device& device) const {
    return engine.resolve(key, {device, entropy_kernel_on(device), entropy_problem(request_)});
}

}  // namespace jitune::internal
