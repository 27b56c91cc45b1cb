// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <mutex>

#include "backend/cuda/driver/driver_device.hpp"
#include "backend/launch.hpp"

namespace jitune::internal {

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

    /// Writes the object of `array` in the current context. The answer is an error of the context.
    /// Throws Error(device) if the driver refuses to make the object.
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
