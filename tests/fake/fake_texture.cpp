// SPDX-License-Identifier: Apache-2.0
#include "fake/fake_call.hpp"

namespace jitune::internal {
namespace {

constexpr CUdeviceptr kAlignment = 512;
constexpr std::size_t kPitchAlignment = 32;

CUresult texture_create(CUtexObject* handle, const CUDA_RESOURCE_DESC* resource,
                        const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC*) {
    ENTER("cuTexObjectCreate", kContextNoCapture)
    const bool is_linear = resource->resType == CU_RESOURCE_TYPE_LINEAR;
    const auto& linear = resource->res.linear;
    const auto& pitched = resource->res.pitch2D;
    const bool is_right = is_linear ? linear.devPtr % kAlignment == 0 && linear.sizeInBytes > 0
                                    : pitched.devPtr % kAlignment == 0 && pitched.width > 0 &&
                                          pitched.height > 0 &&
                                          pitched.pitchInBytes % kPitchAlignment == 0;
    if (!is_right) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *handle = state.next_texture++;
    state.textures[*handle] = {*handle, *resource, *texture,
                               reinterpret_cast<CUcontext>(state.current())};
    return CUDA_SUCCESS;
}

CUresult texture_destroy(CUtexObject handle) {
    FakeCall call("cuTexObjectDestroy", kContextNoCapture);
    const auto found = call.state.textures.find(handle);
    if (found == call.state.textures.end()) {
        return call.state.violate("a texture object destroyed that does not exist",
                                  CUDA_ERROR_INVALID_HANDLE);
    }
    if (found->second.context != reinterpret_cast<CUcontext>(call.state.current())) {
        return call.state.violate("a texture object destroyed in another context",
                                  CUDA_ERROR_INVALID_CONTEXT);
    }
    call.state.textures.erase(found);
    return call.result;
}

}  // namespace

void fill_texture_functions(DriverTable& table) {
    table.cuTexObjectCreate = texture_create;
    table.cuTexObjectDestroy = texture_destroy;
}

}  // namespace jitune::internal
