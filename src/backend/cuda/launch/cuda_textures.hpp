// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "backend/cuda/driver/driver_device.hpp"
#include "backend/launch.hpp"

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

/// Says why there is no texture object like this, whatever the array's address; an empty text if
/// there is one.
std::string flaw_of_texture(const TextureView& view, const TextureLimits& limits);

/// The texture objects that launches of one program have needed. Each is made when first asked for
/// and kept as long as this object, so that graphs may replay it. Thread-safe.
class CudaTextures {
public:
    explicit CudaTextures(std::shared_ptr<DriverDevice> device);
    /// Destroys the objects of the primary context; those of an app's own end with it. No launch
    /// may still use them.
    ~CudaTextures();
    CudaTextures(const CudaTextures&) = delete;
    CudaTextures& operator=(const CudaTextures&) = delete;

    /// Throws Error(usage) if the device has no texture objects like this, whatever the array's
    /// address.
    void check(const TextureView& view) const;

    /// Writes the object of `array` in the current context. Returns the driver's answer, which may
    /// be an error of the context. Throws Error(device) if the driver refuses to make the object.
    CUresult find(const TextureView& view, const void* array, CUtexObject& object) const;

private:
    struct Key {
        unsigned long long context;  ///< its id, which is never that of another
        CUdeviceptr address;
        TextureView view;

        auto operator<=>(const Key&) const = default;
    };
    struct Texture {
        CUtexObject object = 0;  ///< 0: not made
        bool in_primary = false;
    };

    CUresult make(const Key& key, CUcontext context, Texture& texture) const;
    [[nodiscard]] std::int64_t limit(CUdevice_attribute attribute) const;

    std::shared_ptr<DriverDevice> device_;
    mutable std::mutex mutex_;
    mutable std::map<Key, Texture> textures_;
};

}  // namespace jitune::internal
