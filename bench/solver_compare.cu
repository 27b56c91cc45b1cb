// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients by formulas beside the same by cuBLAS, on this machine's first GPU. Needs nvcc and cuBLAS.
//
//     solver_compare [BUDGET_S] [M...]
//
// Both solve the problem of examples/conjugate_gradient.cpp on M x M x M points: 200 iterations in float32, one CUDA
// graph, no wait for the host, the same kernel for the stencil. The graphs are launched in turn; times are medians of 15
// launches of each, by iteration. Residuals are computed from x in float64, and must agree. The default budget is 1 s,
// the sizes are 64 and 256.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "jitune/jitune.hpp"

// The stencil of the example, at its default.
constexpr int block_x = 32, block_y = 8, items = 4;
#include "../examples/laplacian.cu"

namespace {

constexpr int kIterations = 200;

void check(cudaError_t code, const char* what) {
    if (code != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
        std::exit(1);
    }
}

void check(cublasStatus_t code, const char* what) {
    if (code != CUBLAS_STATUS_SUCCESS) {
        std::fprintf(stderr, "%s: %s\n", what, cublasGetStatusString(code));
        std::exit(1);
    }
}

__global__ void fill(float* values, long long n) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i < n) {
        unsigned bits = static_cast<unsigned>(i) * 2654435761u;
        bits ^= bits >> 15;
        bits *= 2246822519u;
        bits ^= bits >> 13;
        values[i] = static_cast<float>(bits >> 8) / 8388608.0f - 1.0f;
    }
}

/// Adds up the squares of b - A x, and of b.
__global__ void add_squares(const float* b, const float* x, int m, double* sums) {
    const long long plane = static_cast<long long>(m) * m;
    const long long at = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (at >= plane * m) {
        return;
    }
    const int i = at % m, j = at / m % m, k = at / plane;
    double r = b[at] - 6.0 * x[at];
    r += (i > 0 ? x[at - 1] : 0.0) + (i + 1 < m ? x[at + 1] : 0.0);
    r += (j > 0 ? x[at - m] : 0.0) + (j + 1 < m ? x[at + m] : 0.0);
    r += (k > 0 ? x[at - plane] : 0.0) + (k + 1 < m ? x[at + plane] : 0.0);
    atomicAdd(sums, r * r);
    atomicAdd(sums + 1, static_cast<double>(b[at]) * b[at]);
}

/// The kernels that users of cuBLAS write beside it.
__global__ void find_alpha(const float* rr, const float* pq, float* alpha, float* minus_alpha) {
    *alpha = *pq > 0 ? *rr / *pq : 0;
    *minus_alpha = -*alpha;
}
__global__ void find_beta(float* rr, const float* next, float* beta) {
    *beta = *rr > 0 ? *next / *rr : 0;
    *rr = *next;
}

class Graph {
public:
    Graph(cudaStream_t stream, const std::function<void()>& enqueue) : stream_(stream) {
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
        enqueue();
        check(cudaStreamEndCapture(stream, &graph), "end of the capture");
        check(cudaGraphInstantiate(&ready_, graph, 0), "cudaGraphInstantiate");
        cudaGraphDestroy(graph);
        cudaEventCreate(&begin_);
        cudaEventCreate(&end_);
    }
    ~Graph() {
        cudaEventDestroy(begin_);
        cudaEventDestroy(end_);
        cudaGraphExecDestroy(ready_);
    }
    Graph(const Graph&) = delete;

    /// Launches once, and waits; us.
    double time() const {
        cudaEventRecord(begin_, stream_);
        check(cudaGraphLaunch(ready_, stream_), "cudaGraphLaunch");
        cudaEventRecord(end_, stream_);
        check(cudaEventSynchronize(end_), "launch");
        float ms = 0;
        cudaEventElapsedTime(&ms, begin_, end_);
        return 1e3 * ms;
    }

private:
    cudaStream_t stream_;
    cudaGraphExec_t ready_ = nullptr;
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

class Bench {
public:
    explicit Bench(double budget_s) : session_(options(budget_s)) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
        check(cublasCreate(&cublas_), "cublasCreate");
        check(cublasSetStream(cublas_, stream_), "cublasSetStream");
        check(cublasSetPointerMode(cublas_, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
        cudaDeviceProp properties{};
        cudaGetDeviceProperties(&properties, 0);
        std::printf("%s, L2 %d MiB, budget %.1f s, %d iterations\n", properties.name, properties.l2CacheSize >> 20, budget_s, kIterations);
    }

    /// Prints a line. Returns whether the residuals agree.
    bool solve(int m) {
        const std::int64_t n = std::int64_t{m} * m * m;
        for (float** array : {&b_, &x_, &r_, &p_, &q_}) {
            check(cudaMalloc(array, n * sizeof(float)), "cudaMalloc");
        }
        check(cudaMalloc(&scalars_, 64), "cudaMalloc");
        constexpr float kOne = 1;
        check(cudaMemcpy(one(), &kOne, sizeof kOne, cudaMemcpyHostToDevice), "copy");
        fill<<<static_cast<unsigned>((n + 255) / 256), 256>>>(b_, n);
        check(cudaDeviceSynchronize(), "fill");
        double residuals[2]{}, times[2]{};
        {
            const Handles handles = prepare(n);
            const Graph by_formulas(stream_, [&] { enqueue(handles, m); });
            const Graph by_cublas(stream_, [&] { enqueue_cublas(m); });
            std::vector<double> samples[2];
            for (int round = 0; round < 17; ++round) {
                for (const bool is_cublas : {false, true}) {
                    const double us = (is_cublas ? by_cublas : by_formulas).time() / kIterations;
                    if (round == 0) {
                        residuals[is_cublas] = residual(m);
                    }
                    if (round > 1) {
                        samples[is_cublas].push_back(us);
                    }
                }
            }
            times[0] = median(samples[0]);
            times[1] = median(samples[1]);
        }
        // Where float32 can do no better, residuals are rounding.
        const bool agree = std::abs(residuals[0] - residuals[1]) <= 1e-6 + 0.05 * residuals[1];
        std::printf("m=%-4d n=%-9lld jitune %8.2f us %5.0f GB/s | cuBLAS %8.2f (%.2f) | residual %.3e, %.3e %s\n", m, static_cast<long long>(n),
                    times[0], 12.0 * sizeof(float) * n / times[0] / 1e3, times[1], times[1] / times[0], residuals[0], residuals[1],
                    agree ? "agree" : "DISAGREE");
        for (float* array : {b_, x_, r_, p_, q_, scalars_}) {
            cudaFree(array);
        }
        return agree;
    }

private:
    struct Handles {
        jitune::PreparedKernel start, descend, turn;
    };

    Handles prepare(std::int64_t n) {
        using jitune::scalar_at;
        return {prepared("x[i] = 0; r[i] = b; p[i] = b; rr = sum(b * b)", {{"b", b_}}, n,
                         {{"x", x_}, {"r", r_}, {"p", p_}, {"rr", rr(0)}}),
                prepared("pq = sum(p * q); alpha = where(pq > 0, rr / pq, 0); r[i] = r - alpha * q;"
                         "next = sum(r * r); beta = where(rr > 0, next / rr, 0)",
                         {{"p", p_}, {"q", q_}, {"r", r_}, {"rr", scalar_at(rr(0))}}, n,
                         {{"r", r_}, {"alpha", alpha()}, {"beta", beta()}, {"next", rr(1)}}),
                prepared("x[i] = x + alpha * p; p[i] = r + beta * p",
                         {{"x", x_}, {"p", p_}, {"r", r_}, {"alpha", scalar_at(alpha())}, {"beta", scalar_at(beta())}}, n,
                         {{"x", x_}, {"p", p_}})};
    }

    /// Waits for the tuning, whatever the budget of a call is.
    jitune::PreparedKernel prepared(const char* text, std::vector<jitune::FormulaArgument> inputs, std::int64_t n,
                                    std::vector<jitune::FormulaArgument> outputs) {
        const jitune::MapReduce formula(text, session_);
        static_cast<void>(formula.prepare(inputs, n, outputs));
        while (session_.counters().pending > 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        auto ready = formula.prepare(inputs, n, outputs);
        std::printf("    %s\n", ready.info().configuration.c_str());
        return ready;
    }

    void multiply(int m) {
        const auto count = [m](int of_block) { return static_cast<unsigned>((m + of_block - 1) / of_block); };
        laplacian<<<dim3(count(block_x), count(block_y), count(items)), dim3(block_x, block_y), 0, stream_>>>(p_, q_, m);
    }

    void enqueue(const Handles& handles, int m) {
        handles.start({b_, x_, r_, p_, rr(0)}, stream_);
        for (int k = 0; k < kIterations; ++k) {
            multiply(m);
            handles.descend({p_, q_, r_, rr(k), r_, alpha(), beta(), rr(k + 1)}, stream_);
            handles.turn({x_, p_, r_, alpha(), beta(), x_, p_}, stream_);
        }
    }

    void enqueue_cublas(int m) {
        const int n = m * m * m;
        float *const next = scalars_ + 4, *const pq = scalars_ + 5, *const minus_alpha = scalars_ + 6;
        const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);
        check(cudaMemsetAsync(x_, 0, bytes, stream_), "memset");
        check(cudaMemcpyAsync(r_, b_, bytes, cudaMemcpyDeviceToDevice, stream_), "copy");
        check(cudaMemcpyAsync(p_, b_, bytes, cudaMemcpyDeviceToDevice, stream_), "copy");
        check(cublasSdot(cublas_, n, b_, 1, b_, 1, rr(0)), "cublasSdot");
        for (int k = 0; k < kIterations; ++k) {
            multiply(m);
            check(cublasSdot(cublas_, n, p_, 1, q_, 1, pq), "cublasSdot");
            find_alpha<<<1, 1, 0, stream_>>>(rr(0), pq, alpha(), minus_alpha);
            check(cublasSaxpy(cublas_, n, alpha(), p_, 1, x_, 1), "cublasSaxpy");
            check(cublasSaxpy(cublas_, n, minus_alpha, q_, 1, r_, 1), "cublasSaxpy");
            check(cublasSdot(cublas_, n, r_, 1, r_, 1, next), "cublasSdot");
            find_beta<<<1, 1, 0, stream_>>>(rr(0), next, beta());
            check(cublasSscal(cublas_, n, beta(), p_, 1), "cublasSscal");
            check(cublasSaxpy(cublas_, n, one(), r_, 1, p_, 1), "cublasSaxpy");
        }
    }

    /// |b - A x| / |b| of what the last launch has left.
    double residual(int m) {
        double* sums = nullptr;
        double found[2]{};
        check(cudaMalloc(&sums, sizeof found), "cudaMalloc");
        check(cudaMemset(sums, 0, sizeof found), "memset");
        const long long n = static_cast<long long>(m) * m * m;
        add_squares<<<static_cast<unsigned>((n + 255) / 256), 256>>>(b_, x_, m, sums);
        check(cudaMemcpy(found, sums, sizeof found, cudaMemcpyDeviceToHost), "copy");
        cudaFree(sums);
        return std::sqrt(found[0] / found[1]);
    }

    static jitune::Options options(double budget_s) {
        jitune::Options result;
        result.database.clear();
        result.on_miss = jitune::TunePolicy::now;
        result.budget = std::chrono::milliseconds(static_cast<int>(budget_s * 1000));
        result.worker = "none";
        return result;
    }

    float* alpha() const { return scalars_; }
    float* beta() const { return scalars_ + 1; }
    /// sum(r * r) before iteration k.
    float* rr(int k) const { return scalars_ + 2 + k % 2; }
    float* one() const { return scalars_ + 7; }

    jitune::Session session_;
    cudaStream_t stream_ = nullptr;
    cublasHandle_t cublas_ = nullptr;
    float *b_ = nullptr, *x_ = nullptr, *r_ = nullptr, *p_ = nullptr, *q_ = nullptr, *scalars_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
    const double budget_s = argc > 1 ? std::atof(argv[1]) : 1;
    std::vector<int> sizes;
    for (int i = 2; i < argc; ++i) {
        sizes.push_back(std::atoi(argv[i]));
    }
    if (sizes.empty()) {
        sizes = {64, 256};
    }
    Bench bench(budget_s);
    bool all_agree = true;
    for (const int m : sizes) {
        all_agree = bench.solve(m) && all_agree;
    }
    return all_agree ? 0 : 1;
}
