// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/launch/cuda_textures.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "backend/cuda/driver/context.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

/// Says which value is above its limit; an empty text if none is.
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

std::string tried_texture(const TextureView& view) {
    return fmt::format("make a texture object of argument {} of the call, {}", view.array + 1,
                       extent_text(view));
}

CUarray_format format_of(ElementType type) {
    switch (type) {
        case ElementType::int8:
            return CU_AD_FORMAT_SIGNED_INT8;
        case ElementType::uint8:
            return CU_AD_FORMAT_UNSIGNED_INT8;
        case ElementType::int16:
            return CU_AD_FORMAT_SIGNED_INT16;
        case ElementType::uint16:
            return CU_AD_FORMAT_UNSIGNED_INT16;
        case ElementType::int32:
            return CU_AD_FORMAT_SIGNED_INT32;
        case ElementType::uint32:
            return CU_AD_FORMAT_UNSIGNED_INT32;
        case ElementType::float16:
            return CU_AD_FORMAT_HALF;
        default:  // front matter has no others
            return CU_AD_FORMAT_FLOAT;
    }
}

CUaddress_mode mode_of(TextureSampling::Address address) {
    switch (address) {
        case TextureSampling::Address::border:
            return CU_TR_ADDRESS_MODE_BORDER;
        case TextureSampling::Address::wrap:
            return CU_TR_ADDRESS_MODE_WRAP;
        case TextureSampling::Address::mirror:
            return CU_TR_ADDRESS_MODE_MIRROR;
        default:
            return CU_TR_ADDRESS_MODE_CLAMP;
    }
}

CUDA_RESOURCE_DESC resource_of(const TextureView& view, CUdeviceptr address) {
    CUDA_RESOURCE_DESC resource{};
    if (view.is_linear()) {
        resource.resType = CU_RESOURCE_TYPE_LINEAR;
        resource.res.linear = {address, format_of(view.element), view.sampling.channels,
                               view.width * view.texel_bytes()};
    } else {
        resource.resType = CU_RESOURCE_TYPE_PITCH2D;
        resource.res.pitch2D = {
            address,     format_of(view.element),        view.sampling.channels, view.width,
            view.height, view.pitch * view.texel_bytes()};
    }
    return resource;
}

CUDA_TEXTURE_DESC description_of(const TextureView& view) {
    const TextureSampling& sampling = view.sampling;
    CUDA_TEXTURE_DESC description{};
    std::fill_n(description.addressMode, 3, mode_of(sampling.address));
    description.filterMode = sampling.filter == TextureSampling::Filter::linear
                                 ? CU_TR_FILTER_MODE_LINEAR
                                 : CU_TR_FILTER_MODE_POINT;
    description.flags =
        (sampling.normalized_coordinates ? CU_TRSF_NORMALIZED_COORDINATES : 0U) |
        (sampling.normalized_values || is_real(view.element) ? 0U : CU_TRSF_READ_AS_INTEGER);
    return description;
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

CudaTextures::CudaTextures(std::shared_ptr<DriverDevice> device) : device_(std::move(device)) {}

CudaTextures::~CudaTextures() {
    std::erase_if(textures_, [](const auto& one) { return !one.second.in_primary; });
    if (textures_.empty() || device_->abandoned()) {
        return;
    }
    std::optional<ContextScope> scope;
    try {
        scope.emplace(*device_, ContextScope::Primary{});
    } catch (const std::exception&) {
        // The driver says below that they cannot be destroyed.
    }
    for (const auto& [key, texture] : textures_) {
        device_->try_call(&DriverTable::cuTexObjectDestroy, texture.object);
    }
}

std::int64_t CudaTextures::limit(CUdevice_attribute attribute) const {
    int value = 0;
    device_->call(&DriverTable::cuDeviceGetAttribute, "make a texture object", &value, attribute,
                  device_->handle());
    return value;
}

void CudaTextures::check(const TextureView& view) const {
    const TextureLimits limits{
        .line_width = limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH),
        .plane_width = limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH),
        .plane_height = limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT),
        .plane_pitch_bytes = limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH),
        .pitch_alignment = limit(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT)};
    if (const std::string flaw = flaw_of_texture(view, limits); !flaw.empty()) {
        throw Error(ErrorKind::usage, fmt::format("{}: {}", tried_texture(view), flaw));
    }
}

CUresult CudaTextures::find(const TextureView& view, const void* array, CUtexObject& object) const {
    const DriverTable& driver = device_->driver();
    CUcontext context = nullptr;
    CUresult result = driver.cuCtxGetCurrent(&context);
    if (result != CUDA_SUCCESS || context == nullptr) {
        return result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_CONTEXT;
    }
    Key key{0, device_address(array), view};
    result = driver.cuCtxGetId(context, &key.context);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    const std::lock_guard lock(mutex_);
    Texture& texture = textures_[key];
    if (texture.object == 0) {
        result = make(key, context, texture);
    }
    object = texture.object;
    return result;
}

// Makes the object within a scope, because the driver may count this as a call that breaks another
// stream's capture.
CUresult CudaTextures::make(const Key& key, CUcontext context, Texture& texture) const {
    const ContextScope scope(*device_);
    const bool in_primary = device_->keep_if_primary(context);
    const CUDA_RESOURCE_DESC resource = resource_of(key.view, key.address);
    const CUDA_TEXTURE_DESC description = description_of(key.view);
    CUtexObject object = 0;
    const CUresult result =
        device_->driver().cuTexObjectCreate(&object, &resource, &description, nullptr);
    if (result == CUDA_SUCCESS) {
        texture = {object, in_primary};
    } else if (!ends_context(result)) {
        device_->check(
            result, "cuTexObjectCreate",
            fmt::format("{} at {:#x}, which must be device memory of the current context at a "
                        "multiple of {} bytes; it would be texture object {} of the kernel, which "
                        "keeps one for each array that it is called with",
                        tried_texture(key.view), key.address,
                        limit(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT), textures_.size()));
    }
    return result;
}

}  // namespace jitune::internal
