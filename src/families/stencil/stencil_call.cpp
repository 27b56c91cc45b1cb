// SPDX-License-Identifier: Apache-2.0
#include "families/stencil/stencil_call.hpp"

#include <array>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "placement/machine_device.hpp"

namespace jitune::internal {

namespace {

constexpr char kKind = 0;  // its address tells these keys from those of other operations

std::uintptr_t address(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

void refuse_bad_pointer(const void* pointer, std::size_t bytes, const char* what) {
    if (pointer == nullptr) {
        throw Error(ErrorKind::usage, fmt::format("stencil: {} is a null pointer", what));
    }
    if (address(pointer) % bytes != 0) {
        throw Error(ErrorKind::usage, fmt::format("stencil: the pointer to {} is not aligned to {} "
                                                  "bytes",
                                                  what, bytes));
    }
}

DispatchKey key_of(const Device& device, const detail::StencilRequest& request,
                   std::size_t alignment) {
    return {&device, stencil_words(request, alignment), size_bucket(std::array{request.n})};
}

const Resolved& resolve(Engine& engine, const DispatchKey& key, Device& device,
                        const detail::StencilRequest& request, std::size_t alignment) {
    return engine.resolve(key,
                          {device, stencil_kernel_on(device), stencil_problem(request, alignment)});
}

}  // namespace

std::size_t stencil_alignment(const detail::StencilRequest& request, const void* input,
                              const void* output) {
    const bool fast = (address(input) | address(output)) % kFastAlignment == 0;
    return fast ? kFastAlignment : bytes_of(request.element);
}

void refuse_bad_stencil_data(const detail::StencilRequest& request, const void* input,
                             const void* output) {
    const std::size_t bytes = bytes_of(request.element);
    refuse_bad_pointer(input, bytes, "the input");
    refuse_bad_pointer(output, bytes, "the output");
    const auto end = [&](const void* first, std::int64_t count) {
        return address(first) + static_cast<std::size_t>(count) * bytes;
    };
    if (address(output) < end(input, request.n) &&
        address(input) < end(output, stencil_outputs(request.n, request.stencil))) {
        throw Error(ErrorKind::usage,
                    "stencil: the output overlaps the input: give it memory of its own");
    }
}

const Kernel& stencil_kernel_on(const Device& device) {
    const PlatformKind platform = device.info().platform;
    return platform == PlatformKind::machine ? placed_kernel(device, "stencil")
                                             : stencil_kernel(platform);
}

ProblemWords stencil_words(const detail::StencilRequest& request, std::size_t alignment) {
    const Stencil& stencil = request.stencil;
    const std::uint64_t weighting = stencil.weights.empty() ? (stencil.mean ? 1 : 0) : 2;
    return {&kKind,
            static_cast<std::uint64_t>(request.element) | weighting << 8 |
                static_cast<std::uint64_t>(stencil.boundary) << 16 |
                static_cast<std::uint64_t>(stencil.radius) << 24 |
                static_cast<std::uint64_t>(alignment) << 32,
            0};
}

const Resolved& resolve_stencil(Engine& engine, Device& device,
                                const detail::StencilRequest& request, std::size_t alignment) {
    const DispatchKey key = key_of(device, request, alignment);
    const Resolved* const known = engine.table().find(key);
    return known != nullptr ? *known : resolve(engine, key, device, request, alignment);
}

const Resolved& resolve_stencil(Engine& engine, StreamSite& site,
                                const detail::StencilRequest& request, std::size_t alignment) {
    const DispatchKey key = key_of(site.device(), request, alignment);
    const Resolved* const known = engine.table().find(key);
    if (known != nullptr) {
        return *known;
    }
    site.refuse_capture("the first tuned_stencil of a problem");
    return resolve(engine, key, site.device(), request, alignment);
}

}  // namespace jitune::internal
