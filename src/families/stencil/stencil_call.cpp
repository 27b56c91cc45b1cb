// SPDX-License-Identifier: Apache-2.0
#include "families/stencil/stencil_call.hpp"

#include "dispatch/answer/call_check.hpp"
#include "jitune/error.hpp"
#include "spread/machine_device.hpp"

namespace jitune::internal {

std::size_t stencil_alignment(const detail::StencilRequest& request, const void* input,
                              const void* output) {
    const auto addresses =
        reinterpret_cast<std::uintptr_t>(input) | reinterpret_cast<std::uintptr_t>(output);
    return addresses % kFastAlignment == 0 ? kFastAlignment : bytes_of(request.element);
}

void refuse_bad_stencil_data(const detail::StencilRequest& request, const void* input,
                             const void* output) {
    const std::size_t bytes = bytes_of(request.element);
    refuse_bad_pointer(kStencilFamily, "the input", input, bytes);
    refuse_bad_pointer(kStencilFamily, "the output", output, bytes);
    const auto inputs = static_cast<std::size_t>(request.n);
    const auto outputs = static_cast<std::size_t>(stencil_outputs(request.n, request.stencil));
    if (overlap(input, inputs * bytes, output, outputs * bytes)) {
        throw Error(ErrorKind::usage,
                    "stencil: the output overlaps the input: give it memory of its own");
    }
}

const Kernel& stencil_kernel_on(const Device& device) {
    return kernel_on(device, kStencilFamily, stencil_kernel);
}

ProblemWords StencilCall::words() const {
    static constexpr KernelTag kTag;
    const Stencil& stencil = request_.stencil;
    const std::uint64_t weighting = stencil.weights.empty() ? (stencil.mean ? 1 : 0) : 2;
    return {&kTag,
            static_cast<std::uint64_t>(request_.element) | weighting << 8 |
                static_cast<std::uint64_t>(stencil.boundary) << 16 |
                static_cast<std::uint64_t>(stencil.radius) << 24 |
                static_cast<std::uint64_t>(alignment_) << 32,
            0};
}

const Resolved& StencilCall::answer(Engine& engine, const DispatchKey& key, Device& device) const {
    return engine.resolve(
        key, {device, stencil_kernel_on(device), stencil_problem(request_, alignment_)});
}

}  // namespace jitune::internal
