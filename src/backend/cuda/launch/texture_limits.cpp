// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/launch/texture_limits.hpp"

#include <fmt/format.h>

namespace jitune::internal {
namespace {

/// Empty, or what is above its limit.
std::string excess(const char* what, std::uint64_t value, std::int64_t most) {
    return value <= static_cast<std::uint64_t>(most)
               ? ""
               : fmt::format(
                     "its {} is {}, and the device's textures have at most {}: constrain "
                     "the sizes, or use a plain pointer",
                     what, value, most);
}

std::string flaw_of_plane(const TextureView& view, const TextureLimits& limits) {
    const std::uint64_t pitch = view.pitch * view.texel_bytes();
    for (std::string flaw : {excess("width", view.width, limits.plane_width),
                             excess("height", view.height, limits.plane_height),
                             excess("pitch in bytes", pitch, limits.plane_pitch_bytes)}) {
        if (!flaw.empty()) {
            return flaw;
        }
    }
    if (pitch % static_cast<std::uint64_t>(limits.pitch_alignment) != 0) {
        return fmt::format(
            "its rows are {} bytes apart, which must be a multiple of {}: pad the rows and give "
            "the texture their pitch, or constrain the sizes",
            pitch, limits.pitch_alignment);
    }
    return view.pitch >= view.width
               ? ""
               : fmt::format(
                     "its pitch of {} texels is less than its width: count the pitch in "
                     "texels, from row to row",
                     view.pitch);
}

}  // namespace

std::string extent_text(const TextureView& view) {
    const std::string extent = view.is_linear() ? fmt::format("{}", view.width)
                                                : fmt::format("{} x {}", view.width, view.height);
    return fmt::format("{} texels of {} bytes", extent, view.texel_bytes());
}

std::string flaw_of_texture(const TextureView& view, const TextureLimits& limits) {
    if (std::string flaw = view.is_linear() ? excess("width", view.width, limits.line_width)
                                            : flaw_of_plane(view, limits);
        !flaw.empty()) {
        return flaw;
    }
    const std::uint64_t before =
        view.is_linear() ? 0 : std::uint64_t{view.pitch} * (view.height - 1);
    const std::uint64_t bytes = (before + view.width) * view.texel_bytes();
    return bytes <= view.bytes ? ""
                               : fmt::format(
                                     "it has {} bytes, and the array {}: make the "
                                     "argument's count as long as the texture",
                                     bytes, view.bytes);
}

}  // namespace jitune::internal
