// SPDX-License-Identifier: Apache-2.0
// Where the arrays of these programs lie: in host memory, or on the first GPU. The driver's library
// is loaded at run time, so that the programs are built without CUDA.
#pragma once

#include <jitune/reduce.hpp>
#include <jitune/reduce_shapes.hpp>

#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace journeys {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The first GPU, by the few functions of the driver that these programs need. Ends the program
/// where one fails.
class Gpu {
public:
    static const Gpu& first() {
        static const Gpu& gpu = *new Gpu;  // threads may outlive main
        return gpu;
    }

    template <class T>
    T* allocate(std::size_t count) const {
        unsigned long long address = 0;
        check(allocate_(&address, count * sizeof(T)), "cuMemAlloc");
        return reinterpret_cast<T*>(
            static_cast<std::uintptr_t>(address));  // NOLINT(performance-no-int-to-ptr)
    }
    void to_gpu(void* to, const void* from, std::size_t bytes) const {
        check(to_gpu_(reinterpret_cast<std::uintptr_t>(to), from, bytes), "cuMemcpyHtoD");
    }
    void to_host(void* to, const void* from, std::size_t bytes) const {
        check(to_host_(to, reinterpret_cast<std::uintptr_t>(from), bytes), "cuMemcpyDtoH");
    }

private:
    Gpu() : driver_(::dlopen("libcuda.so.1", RTLD_NOW)) {
        if (driver_ == nullptr) {
            std::fprintf(stderr, "no GPU: %s\n", ::dlerror());
            std::exit(77);
        }
        void* context = nullptr;
        check(function<int (*)(unsigned)>("cuInit")(0), "cuInit");
        check(function<int (*)(void**, int)>("cuDevicePrimaryCtxRetain")(&context, 0),
              "cuDevicePrimaryCtxRetain");
        check(function<int (*)(void*)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
        allocate_ = function<decltype(allocate_)>("cuMemAlloc_v2");
        to_gpu_ = function<decltype(to_gpu_)>("cuMemcpyHtoD_v2");
        to_host_ = function<decltype(to_host_)>("cuMemcpyDtoH_v2");
    }

    template <class F>
    F function(const char* name) const {
        void* found = ::dlsym(driver_, name);
        if (found == nullptr) {
            check(-1, name);
        }
        return reinterpret_cast<F>(found);
    }

    static void check(int status, const char* what) {
        if (status != 0) {
            std::fprintf(stderr, "%s failed: CUresult %d\n", what, status);
            std::exit(4);
        }
    }

    void* driver_;
    int (*allocate_)(unsigned long long*, std::size_t) = nullptr;
    int (*to_gpu_)(unsigned long long, const void*, std::size_t) = nullptr;
    int (*to_host_)(void*, unsigned long long, std::size_t) = nullptr;
};

/// An array of a program. Never freed, since threads may outlive main.
template <class T>
class Array {
public:
    Array(bool on_gpu, std::vector<T> values) : values_(*new std::vector<T>(std::move(values))) {
        if (on_gpu) {
            const Gpu& gpu = Gpu::first();
            gpu_ = gpu.allocate<T>(values_.size());
            gpu.to_gpu(gpu_, values_.data(), values_.size() * sizeof(T));
        }
    }

    [[nodiscard]] const std::vector<T>& host() const { return values_; }
    [[nodiscard]] const T* gpu() const { return gpu_; }  ///< null where the array is in host memory
    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(values_.size()); }

    /// The reduction of all elements, where they are.
    template <class Result = void>
    [[nodiscard]] auto reduce(jitune::ReduceOp op) const {
        return gpu_ == nullptr
                   ? jitune::tuned_reduce<Result>(values_, op)
                   : jitune::tuned_reduce<Result>(static_cast<const T*>(gpu_), size(), op);
    }

private:
    std::vector<T>& values_;
    T* gpu_ = nullptr;
};

/// "host" or "cuda".
inline bool is_gpu(std::string_view place) {
    if (place != "host" && place != "cuda") {
        std::fprintf(stderr, "PLACE is host or cuda, not \"%.*s\"\n",
                     static_cast<int>(place.size()), place.data());
        std::exit(2);
    }
    return place == "cuda";
}

}  // namespace journeys
