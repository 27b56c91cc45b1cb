// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/driver_table.hpp"

#include <cstring>

#include <fmt/format.h>

#include "backend/cuda/launch/launch_failure.hpp"
#include "backend/shared_library.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

SharedLibrary open_driver() {
    try {
        return SharedLibrary::open({"libcuda.so.1"}, SharedLibrary::Lifetime::process);
    } catch (const Error& error) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("there is no NVIDIA driver: {}", error.what()));
    }
}

void* resolve_driver(const SharedLibrary& library, const char* symbol) {
    if (void* address = library.find(symbol)) {
        return address;
    }
    // Headers from 12.8 on name _v2, which differs from the first one in its error codes alone.
    if (std::strcmp(symbol, "cuEventElapsedTime_v2") == 0) {
        if (void* address = library.find("cuEventElapsedTime")) {
            return address;
        }
    }
    throw Error(ErrorKind::unavailable,
                fmt::format("the NVIDIA driver is too old: it has no {}; a driver for CUDA 12.0 or "
                            "later is needed",
                            symbol));
}

}  // namespace

std::shared_ptr<const DriverTable> load_driver() {
    const SharedLibrary library = open_driver();
    auto table = std::make_shared<DriverTable>();
#define JITUNE_RESOLVE(function) \
    table->function = reinterpret_cast<decltype(&::function)>(resolve_driver(library, #function));
#define JITUNE_EXPANDED(function) JITUNE_RESOLVE(function)
    JITUNE_DRIVER_FUNCTIONS(JITUNE_EXPANDED)
#undef JITUNE_EXPANDED
#undef JITUNE_RESOLVE
    return table;
}

std::string describe(const DriverTable& driver, CUresult result) {
    const char* name = nullptr;
    const char* text = nullptr;
    if (driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) {
        return fmt::format("CUresult {}", static_cast<int>(result));
    }
    if (driver.cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) {
        return name;
    }
    return fmt::format("{} ({})", name, text);
}

void check(const DriverTable& driver, CUresult result, const char* call, std::string_view tried) {
    if (result == CUDA_SUCCESS) {
        return;
    }
    const char* advice = ends_context(result)
                             ? "; the CUDA context is lost, perhaps through an earlier launch of "
                               "this process: restart it"
                             : "";
    throw Error(ErrorKind::device,
                fmt::format("{}: {}: {}{}", tried, call, describe(driver, result), advice),
                native_code(result));
}

}  // namespace jitune::internal
