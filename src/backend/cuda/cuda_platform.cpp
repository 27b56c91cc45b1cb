#include "backend/cuda/cuda_platform.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include <fmt/format.h>

#include "backend/cuda/cuda_backend.hpp"
#include "jitune/error.hpp"

namespace jitune {
namespace {

/// The driver after cuInit. Without devices, why.
struct Driver {
    std::shared_ptr<const DriverTable> table;
    std::vector<CUdevice> devices;
    std::string missing;
};

std::vector<CUdevice> list_devices(const DriverTable& table) {
    constexpr std::string_view tried = "look for CUDA devices";
    check(table, table.cuInit(0), "cuInit", tried);
    int count = 0;
    check(table, table.cuDeviceGetCount(&count), "cuDeviceGetCount", tried);
    std::vector<CUdevice> devices(static_cast<std::size_t>(std::max(count, 0)));
    for (std::size_t i = 0; i < devices.size(); ++i) {
        check(table, table.cuDeviceGet(&devices[i], static_cast<int>(i)), "cuDeviceGet", tried);
    }
    return devices;
}

std::string on_one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

Driver start_driver(const CudaTables& tables) {
    Driver driver;
    try {
        driver.table = tables.driver();
        driver.devices = list_devices(*driver.table);
        if (driver.devices.empty()) {
            driver.missing = "the NVIDIA driver has no device";
        }
    } catch (const Error& error) {
        driver.missing = on_one_line(error.what());
    }
    return driver;
}

class CudaPlatform final : public Platform {
public:
    CudaPlatform(CudaTables tables, const Log& log)
        : tables_(std::move(tables)),
          nvrtc_(std::make_shared<LazyNvrtc>(tables_.nvrtc)),
          log_(log) {}

    [[nodiscard]] std::string_view name() const override { return "cuda"; }
    [[nodiscard]] int device_count() const override {
        return static_cast<int>(driver().devices.size());
    }
    [[nodiscard]] std::string missing() const override { return driver().missing; }

    Backend& device(int ordinal) override {
        if (ordinal < 0 || ordinal >= device_count()) {
            throw Error(
                ErrorKind::unavailable,
                fmt::format("open device cuda:{}: there are {} devices", ordinal, device_count()));
        }
        Slot& slot = slots_[static_cast<std::size_t>(ordinal)];
        if (Backend* open = slot.open.load(std::memory_order_acquire)) {
            return *open;
        }
        const std::lock_guard lock(slot.mutex);
        if (!slot.backend) {
            slot.backend = std::make_unique<CudaBackend>(
                std::make_shared<CudaDevice>(driver().table, ordinal, log_), nvrtc_);
            slot.open.store(slot.backend.get(), std::memory_order_release);
        }
        return *slot.backend;
    }

    [[nodiscard]] int current_device() const override {
        const Driver& started = driver();
        CUdevice current = 0;
        const CUresult result =
            started.table ? started.table->cuCtxGetDevice(&current) : CUDA_ERROR_NOT_INITIALIZED;
        if (result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_NOT_INITIALIZED) {
            return 0;
        }
        check(*started.table, result, "cuCtxGetDevice", "find the device of the current context");
        const auto place = std::find(started.devices.begin(), started.devices.end(), current);
        return place == started.devices.end() ? 0
                                              : static_cast<int>(place - started.devices.begin());
    }

private:
    struct Slot {
        std::atomic<Backend*> open{nullptr};
        std::mutex mutex;
        std::unique_ptr<CudaBackend> backend;
    };

    const Driver& driver() const {
        std::call_once(once_, [this] {
            driver_ = start_driver(tables_);
            slots_ = std::vector<Slot>(driver_.devices.size());
        });
        return driver_;
    }

    CudaTables tables_;
    std::shared_ptr<LazyNvrtc> nvrtc_;
    Log log_;
    mutable std::once_flag once_;
    mutable Driver driver_;
    mutable std::vector<Slot> slots_;
};

}  // namespace

std::unique_ptr<Platform> make_cuda_platform(const Log& log) {
    return make_cuda_platform(CudaTables{}, log);
}

std::unique_ptr<Platform> make_cuda_platform(CudaTables tables, const Log& log) {
    return std::make_unique<CudaPlatform>(std::move(tables), log);
}

}  // namespace jitune
