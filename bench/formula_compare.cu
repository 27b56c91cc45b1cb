// SPDX-License-Identifier: Apache-2.0
// Formulas beside cuBLAS and CUB on this machine's first GPU, in one run. Needs nvcc and cuBLAS.
//
//     formula_compare [BUDGET_S] [N... | lines]
//
// Each time is that of one call in a chain: a CUDA graph of calls in a row, over slices of arrays that together are
// several times as large as the L2 cache, so that data come from memory. It is the median of 15 launches of the graph.
// Results are compared with those of the peer. The default budget is 1 s, the sizes are 2^10 to 2^28, and some matrices
// for rows and columns, which "lines" measures alone.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include "jitune/jitune.hpp"

namespace {

void check(cudaError_t code, const char* what) {
    if (code != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
        std::exit(1);
    }
}

template <class T>
__global__ void fill(T* values, std::size_t n, unsigned seed) {
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += gridDim.x * std::size_t{blockDim.x}) {
        unsigned bits = static_cast<unsigned>(i) * 2654435761u + seed;
        bits ^= bits >> 15;
        bits *= 2246822519u;
        bits ^= bits >> 13;
        values[i] = static_cast<T>(static_cast<float>(bits >> 8) / 16777216.0f - 0.25f);
    }
}

template <class T>
T* new_array(std::size_t n, unsigned seed) {
    T* values = nullptr;
    check(cudaMalloc(&values, n * sizeof(T)), "cudaMalloc");
    fill<<<1024, 256>>>(values, n, seed);
    check(cudaDeviceSynchronize(), "fill");
    return values;
}

/// Slices of arrays: call k works on slice k % count.
struct Slices {
    std::size_t n, count;  // of a slice with its padding
    std::size_t used;      // elements that a call reads
    [[nodiscard]] std::size_t at(int call) const { return static_cast<std::size_t>(call) % count * n; }
};

/// us of a call in a chain.
double time_of(cudaStream_t stream, int calls, const std::function<void(int)>& call) {
    call(0);
    check(cudaStreamSynchronize(stream), "first call");
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    for (int k = 0; k < calls; ++k) {
        call(k);
    }
    check(cudaStreamEndCapture(stream, &graph), "end of the capture");
    check(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<float> times;
    for (int round = 0; round < 18; ++round) {
        cudaEventRecord(begin, stream);
        check(cudaGraphLaunch(ready, stream), "cudaGraphLaunch");
        cudaEventRecord(end, stream);
        check(cudaEventSynchronize(end), "launch");
        float ms = 0;
        cudaEventElapsedTime(&ms, begin, end);
        if (round >= 3) {
            times.push_back(ms);
        }
    }
    std::sort(times.begin(), times.end());
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    return 1e3 * times[times.size() / 2] / calls;
}

template <class T>
T value_at(const T* device) {
    T value{};
    check(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDefault), "cudaMemcpy");
    return value;
}

struct Moments {
    float sum, least, largest, squares;
};
struct Join {
    __host__ __device__ Moments operator()(const Moments& a, const Moments& b) const {
        return {a.sum + b.sum, a.least < b.least ? a.least : b.least, a.largest > b.largest ? a.largest : b.largest, a.squares + b.squares};
    }
};
struct Lift {
    __host__ __device__ Moments operator()(float x) const { return {x, x, x, x * x}; }
};
/// In which dots of a type are summed.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, __nv_bfloat16>, float, T>;

template <class T>
struct Times {
    __host__ __device__ Sum<T> operator()(const thrust::tuple<T, T>& one) const {
        return Sum<T>(thrust::get<0>(one)) * Sum<T>(thrust::get<1>(one));
    }
};

class Bench {
public:
    explicit Bench(double budget_s) : session_(options(budget_s)) {
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
        cublasCreate(&cublas_);
        cublasSetStream(cublas_, stream_);
        cublasSetPointerMode(cublas_, CUBLAS_POINTER_MODE_DEVICE);
        check(cudaMalloc(&temp_, temp_bytes_), "cudaMalloc");
        check(cudaMalloc(&results_, 4096), "cudaMalloc");
        cudaDeviceProp properties{};
        cudaGetDeviceProperties(&properties, 0);
        l2_ = static_cast<std::size_t>(properties.l2CacheSize);
        std::printf("%s, L2 %zu MiB, budget %.1f s\n", properties.name, l2_ >> 20, budget_s);
    }

    template <class T>
    void dot(std::size_t n, const char* type) {
        const auto [slices, calls] = slices_of(n, 2 * sizeof(T));
        T* x = new_array<T>(slices.n * slices.count, 1);
        T* y = new_array<T>(slices.n * slices.count, 2);
        auto* mine = reinterpret_cast<Sum<T>*>(results_);
        auto* other = reinterpret_cast<T*>(results_ + 256);
        auto* third = reinterpret_cast<Sum<T>*>(results_ + 512);
        const jitune::MapReduce formula("r = sum(x * y)", session_);
        const auto count = static_cast<std::int64_t>(n);
        const auto ready = prepared(formula, {{"x", x}, {"y", y}}, count, {{"r", mine}});
        const auto cublas_dot = [&, n](const T* a, const T* b) {
            if constexpr (std::is_same_v<T, float>) {
                cublasSdot(cublas_, static_cast<int>(n), a, 1, b, 1, other);
            } else if constexpr (std::is_same_v<T, double>) {
                cublasDdot(cublas_, static_cast<int>(n), a, 1, b, 1, other);
            } else {
                cublasDotEx(cublas_, static_cast<int>(n), a, CUDA_R_16BF, 1, b, CUDA_R_16BF, 1, other, CUDA_R_16BF, CUDA_R_32F);
            }
        };
        const double jitune_us = time_of(stream_, calls, [&, s = slices](int k) {
            ready({x + s.at(k), y + s.at(k), mine}, stream_);
        });
        const double cublas_us = time_of(stream_, calls, [&, s = slices](int k) { cublas_dot(x + s.at(k), y + s.at(k)); });
        const double cub_us = time_of(stream_, calls, [&, s = slices](int k) {
            std::size_t bytes = temp_bytes_;
            const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(x + s.at(k), y + s.at(k)));
            check(cub::DeviceReduce::TransformReduce(temp_, bytes, pairs, third, static_cast<std::uint32_t>(n), ::cuda::std::plus<Sum<T>>{}, Times<T>{}, Sum<T>(0), stream_), "cub");
        });
        ready({x, y, mine}, stream_);
        cublas_dot(x, y);
        check(cudaStreamSynchronize(stream_), "dot");
        const double off = std::abs(double(value_at(mine)) - double(value_at(other))) / std::abs(double(value_at(other)));
        std::printf("dot %-8s n=%-10zu jitune %8.2f us %5.0f GB/s | cuBLAS %8.2f (%.2f) | CUB %8.2f (%.2f) | off %.1e\n", type, n,
                    jitune_us, 2.0 * sizeof(T) * n / jitune_us / 1e3, cublas_us, cublas_us / jitune_us, cub_us, cub_us / jitune_us, off);
        cudaFree(x);
        cudaFree(y);
    }

    void moments(std::size_t n) {
        const auto [slices, calls] = slices_of(n, sizeof(float));
        float* x = new_array<float>(slices.n * slices.count, 3);
        auto* r = reinterpret_cast<float*>(results_);
        auto* cub = reinterpret_cast<Moments*>(results_ + 256);
        const jitune::MapReduce formula("s = sum(x); l = min(x); m = max(x); q = sum(x * x)", session_);
        const auto count = static_cast<std::int64_t>(n);
        const auto ready = prepared(formula, {{"x", x}}, count, {{"s", r}, {"l", r + 1}, {"m", r + 2}, {"q", r + 3}});
        const double jitune_us = time_of(stream_, calls, [&, s = slices](int k) {
            ready({x + s.at(k), r, r + 1, r + 2, r + 3}, stream_);
        });
        const double sum_us = sum_time(slices, calls, x, r + 8);
        const double cub_us = time_of(stream_, calls, [&, s = slices](int k) {
            std::size_t bytes = temp_bytes_;
            check(cub::DeviceReduce::TransformReduce(temp_, bytes, x + s.at(k), cub, static_cast<std::uint32_t>(n), Join{}, Lift{}, Moments{0, 1e30f, -1e30f, 0}, stream_), "cub");
        });
        ready({x, r, r + 1, r + 2, r + 3}, stream_);
        std::size_t bytes = temp_bytes_;
        cub::DeviceReduce::TransformReduce(temp_, bytes, x, cub, static_cast<std::uint32_t>(n), Join{}, Lift{}, Moments{0, 1e30f, -1e30f, 0}, stream_);
        cudaStreamSynchronize(stream_);
        const Moments other = value_at(cub);
        const bool same = value_at(r + 1) == other.least && value_at(r + 2) == other.largest && std::abs(value_at(r + 3) / other.squares - 1) < 1e-4;
        std::printf("moments float32 n=%-10zu jitune %8.2f us %5.0f GB/s | plain sum %8.2f (%.3f of it) | CUB %8.2f (%.2f) | %s\n", n, jitune_us,
                    4.0 * n / jitune_us / 1e3, sum_us, jitune_us / sum_us, cub_us, cub_us / jitune_us, same ? "right" : "WRONG");
        cudaFree(x);
    }

    /// The inner step of conjugate gradients, and a copy as its ceiling.
    void step(std::size_t n) {
        const auto [slices, calls] = slices_of(n, 6 * sizeof(float));
        const std::size_t all = slices.n * slices.count;
        float *x = new_array<float>(all, 1), *r = new_array<float>(all, 2), *p = new_array<float>(all, 3), *q = new_array<float>(all, 4);
        auto* rr = reinterpret_cast<float*>(results_);
        const jitune::MapReduce formula("x[i] = x + a * p; r[i] = r - a * q; rr = sum(r * r)", session_);
        const auto count = static_cast<std::int64_t>(n);
        const auto ready = prepared(formula, {{"x", x}, {"r", r}, {"p", p}, {"q", q}, {"a", 1e-3f}}, count,
                                    {{"x", x}, {"r", r}, {"rr", rr}});
        const double us = time_of(stream_, calls, [&, s = slices](int k) {
            ready({x + s.at(k), r + s.at(k), p + s.at(k), q + s.at(k), 1e-3f, x + s.at(k), r + s.at(k), rr}, stream_);
        });
        const double copy_us = time_of(stream_, calls, [&, s = slices](int k) {
            cudaMemcpyAsync(x + s.at(k), p + s.at(k), n * sizeof(float), cudaMemcpyDeviceToDevice, stream_);
        });
        std::printf("step float32 n=%-10zu jitune %8.2f us %5.0f GB/s | copy %8.2f us %5.0f GB/s | %.3f of the copy's rate\n", n, us,
                    24.0 * n / us / 1e3, copy_us, 8.0 * n / copy_us / 1e3, (24.0 * n / us) / (8.0 * n / copy_us));
        for (float* one : {x, r, p, q}) {
            cudaFree(one);
        }
    }

    /// Softmax of each row, and sums of rows and columns, beside a copy as the ceiling.
    void lines(std::size_t rows, std::size_t columns) {
        const std::size_t n = rows * columns;
        const auto [slices, calls] = slices_of(n, 2 * sizeof(float));
        const std::size_t all = slices.n * slices.count;
        float *x = new_array<float>(all, 1), *y = new_array<float>(all, 2);
        float* sums = new_array<float>(rows + columns, 0);
        const jitune::MapReduce softmax("t = max(x); s = sum(exp(x - t)); y[i] = exp(x - t) / s", session_);
        const jitune::MapReduce sum("s = sum(x)", session_);
        const auto m = static_cast<std::int64_t>(rows), c = static_cast<std::int64_t>(columns);
        const auto soft = prepared(softmax, {{"x", x}}, jitune::each_row(m, c), {{"y", y}});
        const double soft_us = time_of(stream_, calls, [&, s = slices](int k) { soft({x + s.at(k), y + s.at(k)}, stream_); });
        const double copy_us = time_of(stream_, calls, [&, s = slices](int k) {
            cudaMemcpyAsync(y + s.at(k), x + s.at(k), n * sizeof(float), cudaMemcpyDeviceToDevice, stream_);
        });
        const auto by_row = prepared(sum, {{"x", x}}, jitune::each_row(m, c), {{"s", sums}});
        const double row_us = time_of(stream_, calls, [&, s = slices](int k) { by_row({x + s.at(k), sums}, stream_); });
        const auto by_column = prepared(sum, {{"x", x}}, jitune::each_column(m, c), {{"s", sums}});
        const double column_us = time_of(stream_, calls, [&, s = slices](int k) { by_column({x + s.at(k), sums}, stream_); });
        static_cast<void>(jitune::prepare_reduce_rows<float, float>(m, c, {}, {}, session_));
        wait();
        const auto plain = jitune::prepare_reduce_rows<float, float>(m, c, {}, {}, session_);
        const double plain_us = time_of(stream_, calls, [&, s = slices](int k) { plain(x + s.at(k), sums, stream_); });
        soft({x, y}, stream_);
        by_row({y, sums}, stream_);
        check(cudaStreamSynchronize(stream_), "softmax");
        const double off = std::max(std::abs(value_at(sums) - 1), std::abs(value_at(sums + rows - 1) - 1));
        std::printf("lines %zu x %zu: softmax %8.2f us %5.0f GB/s, %.3f of a copy's rate | row sums %8.2f us %5.0f GB/s | "
                    "tuned_reduce_rows %8.2f us | column sums %8.2f us %5.0f GB/s | off %.1e\n",
                    rows, columns, soft_us, 8.0 * n / soft_us / 1e3, copy_us / soft_us, row_us, 4.0 * n / row_us / 1e3, plain_us,
                    column_us, 4.0 * n / column_us / 1e3, off);
        for (float* one : {x, y, sums}) {
            cudaFree(one);
        }
    }

    /// The normal equations of the iterative closest point: 27 products, a residual and a count.
    void closest_points(std::size_t n) {
        const auto [slices, calls] = slices_of(n, 7 * sizeof(float));
        std::string text;
        for (int i = 0; i < 6; ++i) {
            for (int j = i; j < 6; ++j) {
                text += "h" + std::to_string(i) + std::to_string(j) + " = sum(j" + std::to_string(i) + " * j" + std::to_string(j) + "); ";
            }
            text += "g" + std::to_string(i) + " = sum(j" + std::to_string(i) + " * e); ";
        }
        text += "error = sum(e * e); inliers = sum(where(abs(e) < 0.5, 1.0f, 0.0f))";
        const jitune::MapReduce formula(text, session_);
        std::vector<float*> arrays;
        std::vector<std::string> names{"j0", "j1", "j2", "j3", "j4", "j5", "e"};
        for (unsigned k = 0; k < 7; ++k) {
            arrays.push_back(new_array<float>(slices.n * slices.count, 10 + k));
        }
        auto* r = reinterpret_cast<float*>(results_);
        std::vector<std::string> outputs;
        for (int i = 0; i < 6; ++i) {
            for (int j = i; j < 6; ++j) {
                outputs.push_back("h" + std::to_string(i) + std::to_string(j));
            }
            outputs.push_back("g" + std::to_string(i));
        }
        outputs.push_back("error");
        outputs.push_back("inliers");
        std::vector<jitune::FormulaArgument> results;
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            results.emplace_back(outputs[k], static_cast<const float*>(r + k));
        }
        std::vector<jitune::FormulaArgument> inputs;
        for (std::size_t a = 0; a < 7; ++a) {
            inputs.emplace_back(names[a], static_cast<const float*>(arrays[a]));
        }
        const auto ready = prepared(formula, inputs, static_cast<std::int64_t>(n), results);
        const double us = time_of(stream_, calls, [&, s = slices](int k) {
            std::vector<jitune::KernelArgument> arguments;
            for (const float* one : arrays) {
                arguments.emplace_back(one + s.at(k));
            }
            for (std::size_t o = 0; o < outputs.size(); ++o) {
                arguments.emplace_back(static_cast<const float*>(r + o));
            }
            ready(jitune::KernelArguments(arguments), stream_);
        });
        const auto [same, same_calls] = slices_of(7 * n, sizeof(float));
        float* all = new_array<float>(same.n * same.count, 17);
        const double sum_us = sum_time(same, same_calls, all, r + 64);
        std::printf("icp 29 sums n=%-10zu jitune %8.2f us %5.0f GB/s | plain sum of as many bytes %8.2f us %5.0f GB/s\n", n, us, 28.0 * n / us / 1e3,
                    sum_us, 28.0 * n / sum_us / 1e3);
        cudaFree(all);
        for (float* one : arrays) {
            cudaFree(one);
        }
    }

private:
    /// Waits for the tuning, whatever the budget of a call is.
    jitune::PreparedKernel prepared(const jitune::MapReduce& formula, std::vector<jitune::FormulaArgument> inputs,
                                    const jitune::FormulaShape& shape, std::vector<jitune::FormulaArgument> outputs) {
        static_cast<void>(formula.prepare(inputs, shape, outputs));
        wait();
        auto ready = formula.prepare(inputs, shape, outputs);
        std::printf("    %s\n", ready.info().configuration.c_str());
        return ready;
    }

    void wait() {
        while (session_.counters().pending > 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }

    template <class T>
    double sum_time(const Slices& slices, int calls, const T* x, T* result) {
        const auto n = static_cast<std::int64_t>(slices.used);
        static_cast<void>(jitune::prepare_reduce<T, T>(n, {}, {}, session_));
        wait();
        const auto ready = jitune::prepare_reduce<T, T>(n, {}, {}, session_);
        return time_of(stream_, calls, [&](int k) { ready(x + slices.at(k), result, stream_); });
    }

    static jitune::Options options(double budget_s) {
        jitune::Options result;
        result.database.clear();
        result.on_miss = jitune::TunePolicy::now;
        result.budget = std::chrono::milliseconds(static_cast<int>(budget_s * 1000));
        result.worker = "none";
        return result;
    }

    [[nodiscard]] std::pair<Slices, int> slices_of(std::size_t n, std::size_t bytes) const {
        const std::size_t round = (n + 63) / 64 * 64;
        const std::size_t count = std::clamp<std::size_t>(3 * l2_ / (round * bytes) + 1, 2, 4096);
        return {Slices{round, count, n}, static_cast<int>(std::clamp<std::size_t>(count, 8, 512))};
    }

    jitune::Session session_;
    cudaStream_t stream_ = nullptr;
    cublasHandle_t cublas_ = nullptr;
    void* temp_ = nullptr;
    std::size_t temp_bytes_ = std::size_t{64} << 20;
    char* results_ = nullptr;
    std::size_t l2_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    const double budget_s = argc > 1 ? std::atof(argv[1]) : 1;
    std::vector<std::size_t> sizes;
    for (int i = 2; i < argc; ++i) {
        sizes.push_back(std::strtoull(argv[i], nullptr, 10));
    }
    if (sizes.empty()) {
        sizes = {1 << 10, 1 << 16, (1 << 19) + 5, 1 << 22, 1 << 25, 1 << 28};
    }
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    Bench bench(budget_s);
    const bool only_lines = sizes.size() == 1 && sizes.front() == 0;  // "lines" is no number
    if (only_lines) {
        sizes.clear();
    }
    for (const std::size_t n : sizes) {
        bench.dot<float>(n, "float32");
        bench.moments(n);
        bench.dot<double>(n, "float64");
        bench.dot<__nv_bfloat16>(n, "bfloat16");
        if (n >= 1 << 19 && n < 1 << 27) {
            bench.step(n);
            bench.closest_points(n);
        }
    }
    if (only_lines || argc < 3) {
        for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{4096, 1024}, {8192, 32000}, {1000000, 50}, {16, 1000000}}) {
            bench.lines(rows, columns);
        }
    }
    return 0;
}
