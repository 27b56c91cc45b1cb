#include "backend/cuda/nvml_table.hpp"

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/shared_library.hpp"

namespace jitune {

namespace {

template <class Function>
void resolve(const SharedLibrary& library, const char* symbol, Function& function) {
    void* const address = library.find(symbol);
    if (address == nullptr) {
        throw Error(ErrorKind::unavailable, fmt::format("NVML has no {}", symbol));
    }
    function = reinterpret_cast<Function>(address);
}

}  // namespace

std::shared_ptr<const NvmlTable> load_nvml() {
    const SharedLibrary library =
        SharedLibrary::open({"libnvidia-ml.so.1"}, SharedLibrary::Lifetime::process);
    auto table = std::make_shared<NvmlTable>();
    resolve(library, "nvmlInit_v2", table->init);
    resolve(library, "nvmlDeviceGetHandleByUUID", table->device_by_uuid);
    resolve(library, "nvmlDeviceGetClockInfo", table->clock_mhz);
    // Newer headers have another name for it; drivers have this one as well.
    resolve(library, "nvmlDeviceGetCurrentClocksThrottleReasons", table->throttle_reasons);
    return table;
}

}  // namespace jitune
