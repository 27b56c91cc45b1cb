// SPDX-License-Identifier: Apache-2.0
// Times reductions on a GPU as chains of launches over different parts of its memory, which are not
// in the L2 cache.
#pragma once

#include <jitune/element_type.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace journeys {

constexpr std::size_t kPoolBytes = std::size_t{512} << 20;
constexpr std::size_t kFlushBytes = std::size_t{256} << 20;   // several times the largest L2
constexpr std::int64_t kMostCalls = 24;                       // of a chain
constexpr std::int64_t kMostResults = std::int64_t{1} << 25;  // of a chain
constexpr int kSamples = 25;
constexpr int kThreads = 256;
constexpr unsigned kBlocks = 1024;

inline void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
        std::exit(4);
    }
}

template <class T>
T* allocate(std::size_t count) {
    T* memory = nullptr;
    check(cudaMalloc(&memory, std::max<std::size_t>(count, 1) * sizeof(T)), "cudaMalloc");
    return memory;
}

// ---- Data: whole numbers whose sums are exact in every order ----

__device__ int value_at(std::uint64_t i) {
    std::uint64_t mixed = i * 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93U;
    return static_cast<int>((mixed >> 40) & 15) - 8 + static_cast<int>((mixed >> 50) & 1);
}

template <class T>
__global__ void fill(T* values, std::size_t n) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
        values[i] = static_cast<T>(static_cast<float>(value_at(i)));
    }
}

struct Shape {
    std::string form;
    std::int64_t outer = 1, inner = 1;

    std::int64_t elements() const { return outer * inner; }
    std::int64_t results() const { return form == "rows" ? outer : form == "columns" ? inner : 1; }
};

/// Adds each element to the total of its result. A thread takes neighbours, which often share one.
__global__ void add_up(long long* totals, std::size_t first, std::int64_t n, std::int64_t inner,
                       bool rows, bool columns) {
    constexpr std::int64_t kRun = 64;
    const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x * kRun;
    for (std::int64_t begin = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kRun;
         begin < n; begin += step) {
        long long sum = 0;
        std::int64_t of = -1;
        for (std::int64_t i = begin; i < begin + kRun && i < n; ++i) {
            const std::int64_t result = rows ? i / inner : columns ? i % inner : 0;
            if (result != of && of >= 0) {
                atomicAdd(reinterpret_cast<unsigned long long*>(totals + of),
                          static_cast<unsigned long long>(sum));
                sum = 0;
            }
            of = result;
            sum += value_at(first + static_cast<std::size_t>(i));
        }
        atomicAdd(reinterpret_cast<unsigned long long*>(totals + of),
                  static_cast<unsigned long long>(sum));
    }
}

template <class R>
__global__ void count_wrong(unsigned long long* wrong, const R* results, const long long* totals,
                            std::int64_t n) {
    const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
        if (results[i] != static_cast<R>(totals[i])) {
            atomicAdd(wrong, 1ULL);
        }
    }
}

// ---- What each sample begins with ----

__global__ void read_all(const uint4* memory, std::size_t packs, unsigned* sink) {
    unsigned mixed = 0;
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < packs; i += step) {
        const uint4 pack = memory[i];
        mixed += pack.x ^ pack.y ^ pack.z ^ pack.w;
    }
    if (mixed == 0x13579BDFU) {  // keeps the loads
        *sink = mixed;
    }
}

/// Longer than the host needs to enqueue a chain.
__global__ void hold(unsigned long long ns) {
    unsigned long long begin = 0, now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < ns);
}

// ---- The measurement ----

/// What enqueues one reduction of `values` into `results`.
template <class T, class R>
using Launch = std::function<void(const T* values, R* results, cudaStream_t stream)>;

/// The memory of a problem, and chains of launches over different parts of it.
template <class T, class R>
class Bench {
    using Stored = std::conditional_t<std::is_same_v<T, jitune::float16>, __half, T>;

public:
    explicit Bench(const Shape& shape) : shape_(shape) {
        const std::int64_t n = shape.elements();
        const std::int64_t aligned = (n + 2047) / 2048 * 2048;
        stride_ = std::max(aligned, std::int64_t{1} << 18);
        const auto room = static_cast<std::int64_t>(kPoolBytes / sizeof(T));
        calls_ = std::clamp(std::min(room / stride_, kMostResults / shape.results()),
                            std::int64_t{1}, kMostCalls);
        const auto count = static_cast<std::size_t>(stride_ * calls_);
        const auto results = static_cast<std::size_t>(shape.results() * calls_);
        values_ = allocate<T>(count);
        results_ = allocate<R>(results);
        totals_ = allocate<long long>(results);
        flush_ = allocate<unsigned char>(kFlushBytes);
        wrong_ = allocate<unsigned long long>(1);
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
        check(cudaEventCreate(&begin_), "create an event");
        check(cudaEventCreate(&end_), "create an event");
        check(cudaMemset(flush_, 1, kFlushBytes), "cudaMemset");
        check(cudaMemset(totals_, 0, results * sizeof(long long)), "cudaMemset");
        fill<<<kBlocks, kThreads>>>(reinterpret_cast<Stored*>(values_), count);
        for (std::int64_t call = 0; call < calls_; ++call) {
            add_up<<<kBlocks, kThreads>>>(totals_ + call * shape.results(),
                                          static_cast<std::size_t>(call * stride_), n, shape.inner,
                                          shape.form == "rows", shape.form == "columns");
        }
        check(cudaDeviceSynchronize(), "fill the memory");
    }

    [[nodiscard]] const T* values() const { return values_; }
    [[nodiscard]] R* results() const { return results_; }
    [[nodiscard]] cudaStream_t stream() const { return stream_; }

    /// A replay has a launch for each part of the memory. Ends the program where a result is wrong.
    cudaGraphExec_t chain(const Launch<T, R>& launch, const char* name) const {
        enqueue(launch);  // what is loaded at first use is loaded now
        check(cudaStreamSynchronize(stream_), name);
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t ready = nullptr;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin a capture");
        enqueue(launch);
        check(cudaStreamEndCapture(stream_, &graph), name);
        check(cudaGraphInstantiate(&ready, graph, 0), name);
        check(cudaGraphDestroy(graph), name);
        const auto results = static_cast<std::size_t>(shape_.results() * calls_);
        check(cudaMemsetAsync(results_, 0xA5, results * sizeof(R), stream_), "poison the results");
        check(cudaMemsetAsync(wrong_, 0, sizeof *wrong_, stream_), "cudaMemset");
        check(cudaGraphLaunch(ready, stream_), name);
        count_wrong<<<kBlocks, kThreads, 0, stream_>>>(wrong_, results_, totals_,
                                                       static_cast<std::int64_t>(results));
        unsigned long long wrong = 0;
        check(cudaMemcpyAsync(&wrong, wrong_, sizeof wrong, cudaMemcpyDeviceToHost, stream_), name);
        check(cudaStreamSynchronize(stream_), name);
        if (wrong != 0) {
            std::fprintf(stderr, "%s: %llu of %zu results are wrong\n", name, wrong, results);
            std::exit(1);
        }
        return ready;
    }

    /// Microseconds per launch of each chain: medians of samples that are taken in turn.
    std::vector<double> time(const std::vector<cudaGraphExec_t>& chains) const {
        std::vector<std::vector<double>> all(chains.size());
        for (int sample = -2; sample < kSamples; ++sample) {
            for (std::size_t turn = 0; turn < chains.size(); ++turn) {
                const std::size_t which = sample % 2 == 0 ? turn : chains.size() - 1 - turn;
                const double us = sample_us(chains[which]);
                if (sample >= 0) {
                    all[which].push_back(us);
                }
            }
        }
        std::vector<double> medians;
        for (std::vector<double>& us : all) {
            std::nth_element(us.begin(), us.begin() + kSamples / 2, us.end());
            medians.push_back(us[kSamples / 2]);
        }
        return medians;
    }

private:
    void enqueue(const Launch<T, R>& launch) const {
        for (std::int64_t call = 0; call < calls_; ++call) {
            launch(values_ + call * stride_, results_ + call * shape_.results(), stream_);
        }
    }

    double sample_us(cudaGraphExec_t chain) const {
        read_all<<<kBlocks, kThreads, 0, stream_>>>(reinterpret_cast<const uint4*>(flush_),
                                                    kFlushBytes / sizeof(uint4),
                                                    reinterpret_cast<unsigned*>(wrong_));
        hold<<<1, 1, 0, stream_>>>(150'000);
        check(cudaEventRecord(begin_, stream_), "record an event");
        check(cudaGraphLaunch(chain, stream_), "launch a graph");
        check(cudaEventRecord(end_, stream_), "record an event");
        check(cudaEventSynchronize(end_), "wait for a chain");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin_, end_), "read events");
        return 1e3 * static_cast<double>(ms) / static_cast<double>(calls_);
    }

    Shape shape_;
    std::int64_t stride_ = 0, calls_ = 0;
    T* values_ = nullptr;
    R* results_ = nullptr;
    long long* totals_ = nullptr;
    unsigned char* flush_ = nullptr;
    unsigned long long* wrong_ = nullptr;
    cudaStream_t stream_ = nullptr;
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

/// Each configuration is timed once, so that the same one under two names has the same time.
template <class T, class R>
class Contestants {
public:
    explicit Contestants(const Bench<T, R>& bench) : bench_(bench) {}

    /// Its place.
    std::size_t add(const std::string& name, Launch<T, R> launch) {
        chains_.push_back(bench_.chain(launch, name.c_str()));
        launches_.push_back(std::move(launch));  // chains use the work memory of handles
        names_.push_back(name);
        return names_.size() - 1;
    }
    /// size() where there is none of that name.
    [[nodiscard]] std::size_t find(const std::string& name) const {
        return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) -
                                        names_.begin());
    }
    [[nodiscard]] std::size_t size() const { return names_.size(); }
    [[nodiscard]] const std::vector<cudaGraphExec_t>& chains() const { return chains_; }

private:
    const Bench<T, R>& bench_;
    std::vector<std::string> names_;
    std::vector<Launch<T, R>> launches_;
    std::vector<cudaGraphExec_t> chains_;
};

}  // namespace journeys
