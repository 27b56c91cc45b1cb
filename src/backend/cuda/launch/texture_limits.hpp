// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/texture_view.hpp"

namespace jitune::internal {

/// The most that texture objects of a device may have.
struct TextureLimits {
    std::int64_t line_width;                                    ///< of linear memory, in texels
    std::int64_t plane_width, plane_height, plane_pitch_bytes;  ///< of rows in memory
    std::int64_t pitch_alignment;                               ///< of their pitch, in bytes
};

/// The limits of every compute capability from 7.5 to 12.1: CUDA C++ Programming Guide, appendix on
/// compute capabilities, technical specifications. The guide leaves out the pitch: it is that of
/// cudaDeviceProp::maxTexture2DLinear in published dumps of devices.
inline constexpr TextureLimits kKnownTextureLimits{.line_width = 1 << 28,
                                                   .plane_width = 131072,
                                                   .plane_height = 65000,
                                                   .plane_pitch_bytes = 2097120,
                                                   .pitch_alignment = kTexturePitchAlignment};

/// The texels of a view: "64 x 4 texels of 4 bytes".
std::string extent_text(const TextureView& view);

/// Says why there is no texture object like this, whatever the array's address; an empty text where
/// there is one.
std::string flaw_of_texture(const TextureView& view, const TextureLimits& limits);

}  // namespace jitune::internal
