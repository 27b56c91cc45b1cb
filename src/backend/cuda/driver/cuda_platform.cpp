// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/cuda_platform.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/cuda_device.hpp"
#include "backend/cuda/driver/cuda_stream_group.hpp"
#include "backend/cuda/driver/driver_device.hpp"
#include "backend/cuda/launch/capture.hpp"
#include "backend/cuda/launch/cuda_stream_site.hpp"
#include "jitune/error.hpp"
#include "support/append_table.hpp"

namespace jitune::internal {
namespace {

/// The driver after cuInit. Without devices, the reason.
struct Driver {
    std::shared_ptr<const DriverTable> table;
    std::vector<CUdevice> devices;
    std::string missing;
    NativeCode missing_code = {};
};

std::vector<CUdevice> list_devices(const DriverTable& table) {
    constexpr std::string_view tried = "look for CUDA devices";
    call(table, &DriverTable::cuInit, tried, 0);
    int count = 0;
    call(table, &DriverTable::cuDeviceGetCount, tried, &count);
    std::vector<CUdevice> devices(static_cast<std::size_t>(std::max(count, 0)));
    for (std::size_t i = 0; i < devices.size(); ++i) {
        call(table, &DriverTable::cuDeviceGet, tried, &devices[i], static_cast<int>(i));
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
        driver.missing_code = error.native_code();
    }
    return driver;
}

constexpr std::string_view kFinding = "find the device of a stream";

constexpr std::size_t place_of(unsigned long long stream_id) {
    return stream_id % 1024;
}

class CudaPlatform final : public Platform {
public:
    CudaPlatform(CudaTables tables, const Log& log, std::shared_ptr<RemoteCompiler> compiler)
        : tables_(std::move(tables)),
          compiler_(std::make_shared<CudaCompiler>(tables_.nvrtc, std::move(compiler))),
          profiler_(std::make_shared<CounterProfiler>(tables_.cupti)),
          log_(log),
          groups_(tables_.nccl, log) {}

    [[nodiscard]] PlatformKind kind() const override { return PlatformKind::cuda; }
    [[nodiscard]] int device_count() const override {
        return static_cast<int>(driver().devices.size());
    }
    [[nodiscard]] std::string missing() const override { return driver().missing; }
    [[nodiscard]] NativeCode missing_code() const override { return driver().missing_code; }

    Device& device(int ordinal) override {
        if (device_count() == 0) {
            refuse_without_devices(fmt::format("open device cuda:{}", ordinal));
        }
        if (ordinal < 0 || ordinal >= device_count()) {
            throw Error(ErrorKind::unavailable,
                        fmt::format("cannot open device cuda:{}: the driver lists {} devices",
                                    ordinal, device_count()));
        }
        Slot& slot = slots_[static_cast<std::size_t>(ordinal)];
        if (Device* open = slot.open.load(std::memory_order_acquire)) {
            return *open;
        }
        const std::lock_guard lock(slot.mutex);
        if (!slot.backend) {
            slot.device = std::make_shared<DriverDevice>(driver().table, ordinal, log_);
            slot.backend = make_cuda_device(
                slot.device, compiler_,
                std::make_shared<NvmlReader>(tables_.nvml, slot.device->info().uuid, log_),
                profiler_);
            slot.capturing = std::make_unique<CudaCaptureSite>(*slot.backend, false);
            slot.beside_capture = std::make_unique<CudaCaptureSite>(*slot.backend, true);
            slot.open.store(slot.backend.get(), std::memory_order_release);
        }
        return *slot.backend;
    }

    StreamSite& site(Stream stream) override {
        if (const DriverTable* table = table_.load(std::memory_order_acquire)) [[likely]] {
            // In this order: cuStreamGetId would break a capture.
            CaptureState state = CaptureState::none;
            unsigned long long id = 0;
            if (ask_capture(*table, stream, state) == CUDA_SUCCESS && state == CaptureState::none &&
                table->cuStreamGetId(stream, &id) == CUDA_SUCCESS) [[likely]] {
                if (StreamSite* known = sites_.find(id)) [[likely]] {
                    return *known;
                }
            }
        }
        return find_site(stream);
    }

    std::unique_ptr<StreamGroup> group(std::span<const GroupMember> members) override {
        std::vector<CudaMember> found;
        for (const GroupMember& member : members) {
            found.push_back(member_of(member));
            const auto same = [&](const CudaMember& other) {
                return other.stream.site == found.back().stream.site;
            };
            if (std::find_if(found.begin(), found.end(), same) != found.end() - 1) {
                throw Error(ErrorKind::usage,
                            "group streams: two of them are the same: give each shard a stream of "
                            "its own");
            }
        }
        return make_stream_group(groups_, std::move(found));
    }

    bool replay(const GroupKey& key, std::span<const Stream> streams) override {
        const std::lock_guard lock(groups_.mutex);
        CudaReplay* const known = groups_.replays.find(key);
        if (known == nullptr || known->is_behind()) {
            return false;
        }
        try {
            known->enqueue(streams);
        } catch (const Error&) {
            groups_.replays.forget(key);
            throw;
        }
        return true;
    }

private:
    struct Slot {
        std::atomic<Device*> open{nullptr};
        std::mutex mutex;
        std::shared_ptr<DriverDevice> device;
        std::unique_ptr<Device> backend;
        std::unique_ptr<CudaCaptureSite> capturing, beside_capture;
    };

    const Driver& driver() const {
        std::call_once(once_, [this] {
            driver_ = start_driver(tables_);
            slots_ = std::vector<Slot>(driver_.devices.size());
            table_.store(driver_.table.get(), std::memory_order_release);
        });
        return driver_;
    }

    DriverDevice& driver_device(int ordinal) {
        device(ordinal);
        return *slots_[static_cast<std::size_t>(ordinal)].device;
    }

    [[noreturn]] void refuse_without_devices(std::string_view tried) const {
        throw Error(ErrorKind::unavailable, fmt::format("{}: {}", tried, missing()),
                    driver().missing_code);
    }

    StreamSite& find_site(Stream stream) {
        if (device_count() == 0) {
            refuse_without_devices("find the device of a stream");
        }
        CaptureState state = CaptureState::none;
        if (ask_capture(*driver().table, stream, state) != CUDA_ERROR_INVALID_CONTEXT) {
            return site_here(stream);
        }
        const ContextScope scope(driver_device(0));
        return site_here(stream);
    }

    /// Call it with a current context if the stream is a default one.
    StreamSite& site_here(Stream stream) {
        const DriverTable& table = *driver().table;
        CaptureState state = CaptureState::none;
        check(table, ask_capture(table, stream, state), "cuStreamIsCapturing", kFinding);
        if (state == CaptureState::beside) {
            return *slot_of_current_context().beside_capture;
        }
        if (state == CaptureState::active) {
            const StreamContext own(table, stream);
            return *slot_of_current_context().capturing;
        }
        unsigned long long id = 0;
        call(table, &DriverTable::cuStreamGetId, kFinding, stream, &id);
        if (StreamSite* known = sites_.find(id)) {
            return *known;
        }
        const StreamContext own(table, stream);
        const Slot& slot = slot_of_current_context();
        return sites_.add(id, std::make_unique<CudaStreamSite>(*slot.backend, slot.device, stream));
    }

    CudaMember member_of(const GroupMember& member) {
        std::optional<StreamContext> of_stream;
        std::optional<ContextScope> of_data;
        if (device_count() == 0) {
            refuse_without_devices("group streams");
        }
        if (member.stream != nullptr) {
            of_stream.emplace(*driver().table, member.stream);
        } else {
            of_data.emplace(driver_device(ordinal_of(member.data)));
        }
        StreamSite& found = site(member.stream);
        found.refuse_capture("a call on several streams");
        auto& own = dynamic_cast<CudaStreamSite&>(found);
        const CudaSide& side = own.side();
        CUcontext context = nullptr;
        call(*driver().table, &DriverTable::cuCtxGetCurrent, kFinding, &context);
        return {slot_of_current_context().device,     context, &own, &side, {member.stream, &own},
                {side.stream(), &site(side.stream())}};
    }

    int ordinal_of(const void* data) const {
        const DriverTable& table = *driver().table;
        int ordinal = 0;
        const CUresult result = table.cuPointerGetAttribute(
            &ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, device_address(data));
        if (result == CUDA_ERROR_INVALID_VALUE || ordinal < 0) {
            throw Error(
                ErrorKind::usage,
                "cannot find the device of a shard: its pointer is not device memory, and it "
                "has no stream",
                native_code(result));
        }
        check(table, result, "cuPointerGetAttribute", "find the device of a shard");
        return ordinal;
    }

    Slot& slot_of_current_context() {
        const Driver& started = driver();
        CUdevice handle = 0;
        call(*started.table, &DriverTable::cuCtxGetDevice, kFinding, &handle);
        const auto place = std::find(started.devices.begin(), started.devices.end(), handle);
        const auto ordinal = place - started.devices.begin();
        device(static_cast<int>(ordinal));
        return slots_[static_cast<std::size_t>(ordinal)];
    }

    CudaTables tables_;
    std::shared_ptr<CudaCompiler> compiler_;
    std::shared_ptr<CounterProfiler> profiler_;
    Log log_;
    mutable std::once_flag once_;
    mutable Driver driver_;
    mutable std::vector<Slot> slots_;
    mutable std::atomic<const DriverTable*> table_{nullptr};  // once cuInit has been called
    // By cuStreamGetId, whose numbers no other stream of the process has or will have; it tells the
    // default streams of contexts and threads apart too.
    AppendTable<unsigned long long, StreamSite, place_of> sites_;
    CudaGroups groups_;  // its replays use the sites' events
};

}  // namespace

std::unique_ptr<Platform> make_cuda_platform(const Log& log,
                                             std::shared_ptr<RemoteCompiler> compiler) {
    return make_cuda_platform(CudaTables{}, log, std::move(compiler));
}

std::unique_ptr<Platform> make_cuda_platform(CudaTables tables, const Log& log,
                                             std::shared_ptr<RemoteCompiler> compiler) {
    return std::make_unique<CudaPlatform>(std::move(tables), log, std::move(compiler));
}

}  // namespace jitune::internal
