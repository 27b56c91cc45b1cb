// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/driver_device.hpp"

#include <array>
#include <thread>

#include <fmt/format.h>

#include "support/loop_clock.hpp"

namespace jitune::internal {
namespace {

struct AttributeName {
    const char* name;
    CUdevice_attribute attribute;
};

constexpr std::array kAttributes{
    AttributeName{"sm_count", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    AttributeName{"warp_size", CU_DEVICE_ATTRIBUTE_WARP_SIZE},
    AttributeName{"max_threads_per_block", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
    AttributeName{"max_threads_per_sm", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
    AttributeName{"max_blocks_per_sm", CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
    AttributeName{"shared_bytes_per_block", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
    AttributeName{"registers_per_sm", CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
    AttributeName{"l2_bytes", CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
    AttributeName{"memory_bus_bits", CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
    AttributeName{"memory_clock_khz", CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
};

std::int64_t read_attribute(const DriverDevice& device, std::string_view tried,
                            CUdevice_attribute attribute) {
    int value = 0;
    device.call(&DriverTable::cuDeviceGetAttribute, tried, &value, attribute, device.handle());
    return value;
}

std::string read_uuid(const DriverDevice& device, std::string_view tried) {
    CUuuid uuid{};
    device.call(&DriverTable::cuDeviceGetUuid, tried, &uuid, device.handle());
    std::string text = "GPU-";
    for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
        const bool dash = i == 4 || i == 6 || i == 8 || i == 10;
        text += fmt::format("{}{:02x}", dash ? "-" : "",
                            static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
    }
    return text;
}

/// Asks the driver about a device.
DeviceInfo read_info(const DriverDevice& device, int ordinal) {
    const std::string tried = fmt::format("read device cuda:{}", ordinal);
    const auto attribute = [&](CUdevice_attribute one) {
        return read_attribute(device, tried, one);
    };
    DeviceInfo info;
    info.platform = PlatformKind::cuda;
    info.id = fmt::format("{}:{}", to_string(info.platform), ordinal);
    std::array<char, 256> name{};
    device.call(&DriverTable::cuDeviceGetName, tried, name.data(),
                static_cast<int>(name.size()) - 1, device.handle());
    info.name = name.data();
    info.uuid = read_uuid(device, tried);
    int version = 0;
    device.call(&DriverTable::cuDriverGetVersion, tried, &version);
    info.driver = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
    for (const AttributeName& row : kAttributes) {
        info.attributes[row.name] = attribute(row.attribute);
    }
    info.attributes["compute_capability"] =
        10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
        attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    // A MIG slice needs no field of its own: the SM count and the L2 size that it sees are its own.
    const auto known = [&](const char* one) { return info.attributes.at(one); };
    info.device_class = fmt::format(
        "cuda cc={} sm={} l2={} bus={} memclk={} smem={} ecc={} mps={}",
        known("compute_capability"), known("sm_count"), known("l2_bytes"), known("memory_bus_bits"),
        known("memory_clock_khz"), known("shared_bytes_per_block"),
        attribute(CU_DEVICE_ATTRIBUTE_ECC_ENABLED), attribute(CU_DEVICE_ATTRIBUTE_MPS_ENABLED));
    return info;
}

CUdevice find_device(const DriverTable& driver, int ordinal) {
    CUdevice handle = 0;
    call(driver, &DriverTable::cuDeviceGet, fmt::format("open device cuda:{}", ordinal), &handle,
         ordinal);
    return handle;
}

// A sample of a timing is awaited awake; sleeping through its end would cost a part of it.
constexpr std::chrono::microseconds kSpin{1'000};
constexpr std::chrono::microseconds kNap{50};
constexpr std::chrono::seconds kLongestTurn{1};  // a clock that jumps must not give a device up

}  // namespace

DriverDevice::DriverDevice(std::shared_ptr<const DriverTable> driver, int ordinal, Log log)
    : driver_(std::move(driver)),
      log_(std::move(log)),
      handle_(find_device(*driver_, ordinal)),
      info_(read_info(*this, ordinal)) {}

DriverDevice::~DriverDevice() {
    if (primary_.load() != nullptr && !abandoned_) {
        try_call(&DriverTable::cuDevicePrimaryCtxRelease, handle_);
    }
}

CUcontext DriverDevice::primary_context() {
    if (CUcontext context = primary_.load()) {
        return context;
    }
    CUcontext context = nullptr;
    call(&DriverTable::cuDevicePrimaryCtxRetain, "use " + info_.id, &context, handle_);
    CUcontext none = nullptr;
    if (!primary_.compare_exchange_strong(none, context)) {
        // Another thread was first; its reference is the one that is kept.
        try_call(&DriverTable::cuDevicePrimaryCtxRelease, handle_);
    }
    return context;
}

bool DriverDevice::keep_if_primary(CUcontext context) {
    unsigned flags = 0;
    int active = 0;
    call(&DriverTable::cuDevicePrimaryCtxGetState, "use " + info_.id, handle_, &flags, &active);
    return active != 0 && primary_context() == context;
}

void DriverDevice::report(CUresult result, const void* function) const noexcept {
    if (result == CUDA_ERROR_DEINITIALIZED) {
        return;
    }
    try {
        log_.debug("{}: {}: {}", info_.id, function_name(*driver_, function),
                   describe(*driver_, result));
    } catch (...) {
        // A sink that fails must not end the process from a destructor.
    }
}

LaunchFailure launch_failure(const DriverTable& driver, CUresult result, const char* call,
                             std::string_view tried) {
    return {.timed_out = false,
            .fatal = is_fatal(result),
            .reason = fmt::format("{}: {}: {}", tried, call, describe(driver, result)),
            .native_code = native_code(result)};
}

std::optional<LaunchFailure> wait_until_idle(DriverDevice& device, Stream stream,
                                             std::chrono::milliseconds limit) {
    const DriverTable& driver = device.driver();
    LoopClock time(kNap, kLongestTurn);
    while (true) {
        const CUresult result = driver.cuStreamQuery(stream);
        if (result == CUDA_SUCCESS) {
            return std::nullopt;
        }
        if (result != CUDA_ERROR_NOT_READY) {
            return launch_failure(driver, result, "cuStreamQuery", "wait for the kernel");
        }
        const auto waited = time.turn();
        if (waited >= limit) {
            device.abandon();
            return LaunchFailure{
                .timed_out = true,
                .fatal = true,
                .reason = fmt::format("the kernel did not end within {} ms", limit.count())};
        }
        if (waited >= kSpin) {
            std::this_thread::sleep_for(kNap);
        }
    }
}

}  // namespace jitune::internal
