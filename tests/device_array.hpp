#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <vector>

#include "backend/cuda/driver_table.hpp"

namespace jitune {

/// `count` values of T in device memory of the current context, `offset` values past an aligned
/// address. Transfers use the legacy default stream and wait.
template <class T>
class DeviceArray {
public:
    DeviceArray(const DriverTable& driver, std::size_t count, std::size_t offset = 0)
        : driver_(driver), count_(count), offset_(offset) {
        if (driver_.cuMemAlloc(&memory_, (count + offset + 1) * sizeof(T)) != CUDA_SUCCESS) {
            throw std::bad_alloc();
        }
    }
    DeviceArray(const DriverTable& driver, const std::vector<T>& values, std::size_t offset = 0)
        : DeviceArray(driver, values.size(), offset) {
        upload(values);
    }
    ~DeviceArray() { driver_.cuMemFree(memory_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    [[nodiscard]] T* data() const { return reinterpret_cast<T*>(address()); }

    /// Puts values in the place of those from `at` on.
    void upload(std::span<const T> values, std::size_t at = 0) const {
        driver_.cuMemcpyHtoDAsync(address() + at * sizeof(T), values.data(), values.size_bytes(),
                                  nullptr);
        driver_.cuStreamSynchronize(nullptr);
    }

    [[nodiscard]] std::vector<T> download() const {
        std::vector<T> values(count_);
        driver_.cuMemcpyDtoHAsync(values.data(), address(), count_ * sizeof(T), nullptr);
        driver_.cuStreamSynchronize(nullptr);
        return values;
    }

private:
    [[nodiscard]] CUdeviceptr address() const { return memory_ + offset_ * sizeof(T); }

    const DriverTable& driver_;
    CUdeviceptr memory_ = 0;
    std::size_t count_;
    std::size_t offset_;
};

}  // namespace jitune
