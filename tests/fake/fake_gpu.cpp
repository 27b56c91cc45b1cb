// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "fake/fake_call.hpp"

namespace jitune::internal {
namespace {

CUresult init(unsigned) {
    ENTER("cuInit", kNothing)
    if (state.devices.empty()) {
        return CUDA_ERROR_NO_DEVICE;
    }
    state.initialised = true;
    return CUDA_SUCCESS;
}

CUresult driver_version(int* version) {
    ENTER("cuDriverGetVersion", kNothing)
    *version = 13000;
    return CUDA_SUCCESS;
}

struct ErrorText {
    CUresult code;
    const char* name;
    const char* text;
};

constexpr std::array kErrorTexts{
    ErrorText{CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    ErrorText{CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    ErrorText{CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    ErrorText{CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    ErrorText{CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE",
              "device kernel image is invalid"},
    ErrorText{CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
              "an illegal memory access was encountered"},
    ErrorText{CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
              "too many resources requested for launch"},
};

const ErrorText* error_text(CUresult code) {
    const auto found = std::find_if(kErrorTexts.begin(), kErrorTexts.end(),
                                    [&](const ErrorText& row) { return row.code == code; });
    return found == kErrorTexts.end() ? nullptr : &*found;
}

CUresult error_name(CUresult code, const char** name) {
    const ErrorText* row = error_text(code);
    *name = row == nullptr ? nullptr : row->name;
    return row == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult error_string(CUresult code, const char** text) {
    const ErrorText* row = error_text(code);
    *text = row == nullptr ? nullptr : row->text;
    return row == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult device_count(int* count) {
    ENTER("cuDeviceGetCount", kInit)
    *count = static_cast<int>(state.devices.size());
    return CUDA_SUCCESS;
}

CUresult device_get(CUdevice* device, int ordinal) {
    ENTER("cuDeviceGet", kInit)
    *device = ordinal;
    return static_cast<std::size_t>(ordinal) < state.devices.size() ? CUDA_SUCCESS
                                                                    : CUDA_ERROR_INVALID_DEVICE;
}

CUresult device_name(char* name, int bytes, CUdevice device) {
    ENTER("cuDeviceGetName", kInit)
    const std::string& text = state.devices.at(static_cast<std::size_t>(device)).name;
    const std::size_t size = std::min(text.size(), static_cast<std::size_t>(bytes) - 1);
    std::memcpy(name, text.data(), size);
    name[size] = '\0';
    return CUDA_SUCCESS;
}

CUresult device_uuid(CUuuid* uuid, CUdevice device) {
    ENTER("cuDeviceGetUuid", kInit)
    for (int i = 0; i < 16; ++i) {
        uuid->bytes[i] = static_cast<char>(i == 15 ? device : i * 17);
    }
    return CUDA_SUCCESS;
}

CUresult device_attribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    ENTER("cuDeviceGetAttribute", kInit)
    const auto& attributes = state.devices.at(static_cast<std::size_t>(device)).attributes;
    const auto found = attributes.find(attribute);
    *value = found == attributes.end() ? 0 : found->second;
    return CUDA_SUCCESS;
}

CUresult primary_retain(CUcontext* context, CUdevice device) {
    ENTER("cuDevicePrimaryCtxRetain", kInit)
    *context = state.owner.primary_context(device);
    ++state.primary_references[device];
    return CUDA_SUCCESS;
}

CUresult primary_release(CUdevice device) {
    FakeCall call("cuDevicePrimaryCtxRelease", kInit);
    if (--call.state.primary_references[device] < 0) {
        return call.state.violate("a primary context released too often",
                                  CUDA_ERROR_INVALID_CONTEXT);
    }
    return call.result;
}

CUresult primary_state(CUdevice device, unsigned* flags, int* is_active) {
    ENTER("cuDevicePrimaryCtxGetState", kInit)
    *flags = 0;
    const auto primary = state.primaries.find(device);
    *is_active = primary != state.primaries.end() && primary->second != nullptr ? 1 : 0;
    return CUDA_SUCCESS;
}

CUresult ctx_current(CUcontext* context) {
    ENTER("cuCtxGetCurrent", kInit)
    *context = reinterpret_cast<CUcontext>(state.current());
    return CUDA_SUCCESS;
}

CUresult ctx_device(CUdevice* device) {
    ENTER("cuCtxGetDevice", kInit)
    if (state.current() == nullptr) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    *device = state.current()->device;
    return CUDA_SUCCESS;
}

CUresult ctx_id(CUcontext context, unsigned long long* id) {
    ENTER("cuCtxGetId", kInit)
    *id = reinterpret_cast<FakeContext*>(context)->id;
    return CUDA_SUCCESS;
}

CUresult ctx_push(CUcontext context) {
    ENTER("cuCtxPushCurrent", kInit)
    state.stack().push_back(reinterpret_cast<FakeContext*>(context));
    return CUDA_SUCCESS;
}

CUresult ctx_pop(CUcontext* context) {
    FakeCall call("cuCtxPopCurrent", kInit);
    auto& stack = call.state.stack();
    if (stack.empty()) {
        return call.state.violate("a context popped from an empty stack",
                                  CUDA_ERROR_INVALID_CONTEXT);
    }
    *context = reinterpret_cast<CUcontext>(stack.back());
    stack.pop_back();
    return call.result;
}

CUresult can_access_peer(int* can, CUdevice device, CUdevice peer) {
    ENTER("cuDeviceCanAccessPeer", kInit)
    *can = device != peer ? 1 : 0;
    return CUDA_SUCCESS;
}

CUresult enable_peer_access(CUcontext peer, unsigned /*flags*/) {
    ENTER("cuCtxEnablePeerAccess", kContextNoCapture)
    return reinterpret_cast<FakeContext*>(peer)->device == state.current()->device
               ? CUDA_ERROR_INVALID_CONTEXT
               : CUDA_SUCCESS;
}

CUresult exchange_capture_mode(CUstreamCaptureMode* mode) {
    ENTER("cuThreadExchangeStreamCaptureMode", kInit)
    std::swap(*mode, state.capture_mode());
    return CUDA_SUCCESS;
}

}  // namespace

void fill_device_functions(DriverTable& table) {
    table.cuInit = init;
    table.cuDriverGetVersion = driver_version;
    table.cuGetErrorName = error_name;
    table.cuGetErrorString = error_string;
    table.cuDeviceGetCount = device_count;
    table.cuDeviceGet = device_get;
    table.cuDeviceGetName = device_name;
    table.cuDeviceGetUuid = device_uuid;
    table.cuDeviceGetAttribute = device_attribute;
    table.cuDevicePrimaryCtxRetain = primary_retain;
    table.cuDevicePrimaryCtxGetState = primary_state;
    table.cuDevicePrimaryCtxRelease = primary_release;
    table.cuCtxGetCurrent = ctx_current;
    table.cuCtxGetDevice = ctx_device;
    table.cuCtxGetId = ctx_id;
    table.cuCtxPushCurrent = ctx_push;
    table.cuCtxPopCurrent = ctx_pop;
    table.cuDeviceCanAccessPeer = can_access_peer;
    table.cuCtxEnablePeerAccess = enable_peer_access;
    table.cuThreadExchangeStreamCaptureMode = exchange_capture_mode;
}

std::shared_ptr<const DriverTable> fake_driver_table() {
    auto table = std::make_shared<DriverTable>();
    fill_device_functions(*table);
    fill_memory_functions(*table);
    fill_stream_functions(*table);
    fill_launch_functions(*table);
    fill_texture_functions(*table);
    return table;
}

}  // namespace jitune::internal
