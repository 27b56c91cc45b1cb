#include <algorithm>
#include <cstring>

#include "fake_call.hpp"

namespace jitune {
namespace {

CUresult library_load(CUlibrary* handle, const void* code, CUjit_option*, void**, unsigned,
                      CUlibraryOption*, void**, unsigned) {
    ENTER("cuLibraryLoadData", kNoCapture)
    const auto image = read_fake_image(static_cast<const char*>(code));
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
    if (found == kernels.end()) {
        return CUDA_ERROR_NOT_FOUND;
    }
    *kernel = reinterpret_cast<CUkernel>(&found->second);
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

/// What the driver refuses before it launches.
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

CUresult launch_kernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                       unsigned by, unsigned bz, unsigned shared_bytes, CUstream handle,
                       void** arguments, void**) {
    ENTER_ON_STREAM("cuLaunchKernel", kInit)
    const FakeKernel* kernel = find_kernel(state, function);
    if (kernel == nullptr) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (stream->context->lost != CUDA_SUCCESS) {
        return stream->context->lost;
    }
    FakeLaunch launch{.expression = kernel->expression,
                      .grid = {gx, gy, gz},
                      .block = {bx, by, bz},
                      .shared_bytes = shared_bytes,
                      .arguments = copy_arguments(arguments),
                      .stream = handle};
    const CUresult shape = check_shape(state, *kernel, launch);
    return shape == CUDA_SUCCESS ? state.launch(launch, *stream) : shape;
}

CUresult graph_create(CUgraph* handle, unsigned) {
    ENTER("cuGraphCreate", kInit)
    auto* graph = new FakeGraph;
    state.graphs.insert(graph);
    *handle = reinterpret_cast<CUgraph>(graph);
    return CUDA_SUCCESS;
}

CUresult graph_destroy(CUgraph handle) {
    return destroy("cuGraphDestroy", fake_state().graphs, handle, kInit);
}

CUresult graph_add_kernel(CUgraphNode* node, CUgraph handle, const CUgraphNode* before,
                          std::size_t count, const CUDA_KERNEL_NODE_PARAMS* params) {
    ENTER("cuGraphAddKernelNode", kContext)
    auto& nodes = reinterpret_cast<FakeGraph*>(handle)->nodes;
    const FakeKernel* kernel = find_kernel(state, params->kern);
    if (kernel == nullptr) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    // Nodes are numbered from 1; the fake replays them in this order.
    const bool serial =
        nodes.empty() ? count == 0
                      : count == 1 && reinterpret_cast<std::uintptr_t>(*before) == nodes.size();
    if (!serial) {
        return state.violate("graph nodes that are no chain", CUDA_ERROR_INVALID_VALUE);
    }
    FakeLaunch launch{.expression = kernel->expression,
                      .grid = {params->gridDimX, params->gridDimY, params->gridDimZ},
                      .block = {params->blockDimX, params->blockDimY, params->blockDimZ},
                      .shared_bytes = params->sharedMemBytes,
                      .arguments = copy_arguments(params->kernelParams)};
    const CUresult shape = check_shape(state, *kernel, launch);
    if (shape == CUDA_SUCCESS) {
        nodes.push_back(launch);
        *node = reinterpret_cast<CUgraphNode>(nodes.size());
    }
    return shape;
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
    for (FakeLaunch launch : reinterpret_cast<FakeGraph*>(replay)->nodes) {
        launch.stream = handle;
        result = result == CUDA_SUCCESS ? state.launch(launch, *stream) : result;
    }
    return result;
}

}  // namespace

void fill_launch_functions(DriverTable& table) {
    table.cuLibraryLoadData = library_load;
    table.cuLibraryUnload = library_unload;
    table.cuLibraryGetKernel = library_get_kernel;
    table.cuKernelGetFunction = kernel_get_function;
    table.cuKernelGetAttribute = kernel_get_attribute;
    table.cuKernelSetAttribute = kernel_set_attribute;
    table.cuLaunchKernel = launch_kernel;
    table.cuGraphCreate = graph_create;
    table.cuGraphDestroy = graph_destroy;
    table.cuGraphAddKernelNode = graph_add_kernel;
    table.cuGraphInstantiateWithFlags = graph_instantiate;
    table.cuGraphExecDestroy = graph_exec_destroy;
    table.cuGraphUpload = graph_upload;
    table.cuGraphLaunch = graph_launch;
}

}  // namespace jitune
