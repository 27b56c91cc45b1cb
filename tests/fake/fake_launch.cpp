// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "fake/fake_call.hpp"

namespace jitune::internal {
namespace {

/// The PTX that the library has of its own.
bool add_own_kernels(const std::string& text, FakeLibrary& library) {
    constexpr const char* kOwn = "jitune_copy_pieces";
    if (text.find(std::string(".entry ") + kOwn) == std::string::npos) {
        return false;
    }
    library.kernels[kOwn].expression = kOwn;
    return true;
}

CUresult library_load(CUlibrary* handle, const void* code, CUjit_option*, void**, unsigned,
                      CUlibraryOption*, void**, unsigned) {
    ENTER("cuLibraryLoadData", kNoCapture)
    const auto image = read_fake_image(static_cast<const char*>(code));
    if (auto own = std::make_unique<FakeLibrary>();
        !image && add_own_kernels(static_cast<const char*>(code), *own)) {
        *handle = reinterpret_cast<CUlibrary>(own.get());
        state.libraries.insert(own.release());
        return CUDA_SUCCESS;
    }
    if (!image) {
        return CUDA_ERROR_INVALID_IMAGE;
    }
    const auto& attributes = state.devices.front().attributes;
    const int wanted = 10 * attributes.at(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                       attributes.at(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    if (image->compute_capability > wanted) {
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    auto* library = new FakeLibrary;
    for (const auto& [symbol, expression] : image->expressions) {
        library->kernels[symbol].expression = expression;
        library->kernels[symbol].constant.resize(expression.starts_with('&') ? 64 << 10 : 0);
    }
    state.libraries.insert(library);
    *handle = reinterpret_cast<CUlibrary>(library);
    return CUDA_SUCCESS;
}

CUresult library_unload(CUlibrary handle) {
    return destroy("cuLibraryUnload", fake_state().libraries, handle, kNoCapture);
}

CUresult library_get_kernel(CUkernel* kernel, CUlibrary handle, const char* symbol) {
    ENTER("cuLibraryGetKernel", kInit)
    auto& kernels = reinterpret_cast<FakeLibrary*>(handle)->kernels;
    const auto found = kernels.find(symbol);
    if (found == kernels.end() || !found->second.constant.empty()) {
        return CUDA_ERROR_NOT_FOUND;
    }
    *kernel = reinterpret_cast<CUkernel>(&found->second);
    return CUDA_SUCCESS;
}

CUresult library_get_global(CUdeviceptr* address, std::size_t* bytes, CUlibrary handle,
                            const char* symbol) {
    ENTER("cuLibraryGetGlobal", kContext)
    auto& kernels = reinterpret_cast<FakeLibrary*>(handle)->kernels;
    const auto found = kernels.find(symbol);
    if (found == kernels.end() || found->second.constant.empty()) {
        return CUDA_ERROR_NOT_FOUND;
    }
    *address = reinterpret_cast<CUdeviceptr>(found->second.constant.data());
    *bytes = found->second.constant.size();
    return CUDA_SUCCESS;
}

FakeKernel* find_kernel(FakeCuda::State& state, const void* handle) {
    for (FakeLibrary* library : state.libraries) {
        for (auto& [symbol, kernel] : library->kernels) {
            if (&kernel == handle) {
                return &kernel;
            }
        }
    }
    state.violate("a kernel of no loaded library", CUDA_ERROR_INVALID_HANDLE);
    return nullptr;
}

CUresult kernel_get_function(CUfunction* function, CUkernel handle) {
    ENTER("cuKernelGetFunction", kContext)
    *function = reinterpret_cast<CUfunction>(handle);
    return find_kernel(state, handle) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

CUresult kernel_get_attribute(int* value, CUfunction_attribute, CUkernel handle, CUdevice) {
    ENTER("cuKernelGetAttribute", kInit)
    *value = 0;
    return find_kernel(state, handle) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

CUresult kernel_set_attribute(CUfunction_attribute attribute, int value, CUkernel handle,
                              CUdevice) {
    ENTER("cuKernelSetAttribute", kInit)
    FakeKernel* kernel = find_kernel(state, handle);
    if (kernel == nullptr) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        kernel->most_dynamic_bytes = value;
    }
    return CUDA_SUCCESS;
}

/// The arguments end at the first null pointer: the image of a fake kernel does not count them.
std::vector<std::uint64_t> copy_arguments(void** pointers) {
    std::vector<std::uint64_t> cells;
    for (std::size_t i = 0; i < kMaxArguments && pointers[i] != nullptr; ++i) {
        cells.emplace_back();
        std::memcpy(&cells.back(), pointers[i], sizeof cells.back());
    }
    return cells;
}

/// Refuses a launch as the driver does, before it runs.
CUresult check_shape(FakeCuda::State& state, const FakeKernel& kernel, const FakeLaunch& launch) {
    const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
    const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    const auto most = static_cast<std::uint64_t>(
        state.devices.front().attributes.at(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
    const bool shared_fits =
        launch.shared_bytes <= static_cast<std::uint32_t>(kernel.most_dynamic_bytes);
    const bool fits = threads != 0 && threads <= most && blocks != 0 && shared_fits;
    return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult read_attributes(const CUlaunchConfig& config, FakeLaunch& launch) {
    for (unsigned i = 0; i < config.numAttrs; ++i) {
        const CUlaunchAttribute& attribute = config.attrs[i];
        if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
            const auto& cluster = attribute.value.clusterDim;
            if (cluster.x == 0 || cluster.y != 1 || cluster.z != 1 ||
                config.gridDimX % cluster.x != 0) {
                return CUDA_ERROR_INVALID_CLUSTER_SIZE;
            }
            launch.cluster = cluster.x;
        } else if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) {
            launch.programmatic = attribute.value.programmaticStreamSerializationAllowed != 0;
        } else if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
            launch.cooperative = attribute.value.cooperative != 0;
        } else {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

CUresult launch_kernel(const CUlaunchConfig* config, CUfunction function, void** arguments,
                       void**) {
    const CUstream handle = config->hStream;
    ENTER_ON_STREAM("cuLaunchKernelEx", kInit)
    const FakeKernel* kernel = find_kernel(state, function);
    if (kernel == nullptr) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (stream->context->lost != CUDA_SUCCESS) {
        return stream->context->lost;
    }
    FakeLaunch launch{.expression = kernel->expression,
                      .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                      .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                      .shared_bytes = config->sharedMemBytes,
                      .arguments = copy_arguments(arguments),
                      .stream = handle};
    CUresult result = read_attributes(*config, launch);
    if (result == CUDA_SUCCESS) {
        result = check_shape(state, *kernel, launch);
    }
    return result == CUDA_SUCCESS ? state.launch(launch, *stream) : result;
}

CUresult graph_destroy(CUgraph handle) {
    return destroy("cuGraphDestroy", fake_state().graphs, handle, kInit);
}

CUresult graph_instantiate(CUgraphExec* replay, CUgraph handle, unsigned long long) {
    ENTER("cuGraphInstantiate", kContext)
    auto* copy = new FakeGraph(*reinterpret_cast<FakeGraph*>(handle));
    state.replays.insert(copy);
    *replay = reinterpret_cast<CUgraphExec>(copy);
    return CUDA_SUCCESS;
}

CUresult graph_exec_destroy(CUgraphExec handle) {
    return destroy("cuGraphExecDestroy", fake_state().replays, handle, kInit);
}

CUresult graph_upload(CUgraphExec, CUstream handle) {
    ENTER_ON_STREAM("cuGraphUpload", kInit)
    return stream->context->lost;
}

CUresult graph_launch(CUgraphExec replay, CUstream handle) {
    ENTER_ON_STREAM("cuGraphLaunch", kInit)
    CUresult result = stream->context->lost;
    const auto& graph = *reinterpret_cast<FakeGraph*>(replay);
    const bool is_spread = graph.streams.size() > 1;
    for (FakeStream* one : graph.streams) {
        one->replays += is_spread ? 1 : 0;
    }
    for (const auto& node : graph.nodes) {
        if (const auto* event = std::get_if<FakeEvent*>(&node)) {
            (*event)->nanoseconds = state.clock;
            continue;
        }
        if (const auto* act = std::get_if<std::function<CUresult()>>(&node)) {
            result = result == CUDA_SUCCESS && is_spread ? (*act)() : result;
            continue;
        }
        FakeLaunch launch = std::get<FakeLaunch>(node);
        FakeStream* on = is_spread ? reinterpret_cast<FakeStream*>(launch.stream) : stream;
        launch.stream = is_spread ? launch.stream : handle;
        result = result == CUDA_SUCCESS ? state.launch(launch, *on) : result;
    }
    return result;
}

}  // namespace

void fill_launch_functions(DriverTable& table) {
    table.cuLibraryLoadData = library_load;
    table.cuLibraryUnload = library_unload;
    table.cuLibraryGetKernel = library_get_kernel;
    table.cuLibraryGetGlobal = library_get_global;
    table.cuKernelGetFunction = kernel_get_function;
    table.cuKernelGetAttribute = kernel_get_attribute;
    table.cuKernelSetAttribute = kernel_set_attribute;
    table.cuLaunchKernelEx = launch_kernel;
    table.cuGraphDestroy = graph_destroy;
    table.cuGraphInstantiateWithFlags = graph_instantiate;
    table.cuGraphExecDestroy = graph_exec_destroy;
    table.cuGraphUpload = graph_upload;
    table.cuGraphLaunch = graph_launch;
}

}  // namespace jitune::internal
