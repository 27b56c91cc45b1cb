// SPDX-License-Identifier: Apache-2.0
// conjugate_gradient [M] [ITERATIONS]: solves A x = b by conjugate gradients, where A is the
// 7-point Laplacian on M x M x M points. All iterations are one CUDA graph: scalars stay on the
// GPU, and nothing waits for the host. An iteration is four launches: the stencil, which is a
// kernel template of its own beside the program (laplacian.cu), two passes of `descend`, and one of
// `turn`.
//
// The first run waits for tunings; later runs find the winners in the database.

#include <cuda_runtime_api.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "jitune/jitune.hpp"

namespace {

using jitune::MapReduce;
using jitune::scalar_at;

constexpr int kNoGpu = 77;  // tests take it for "skipped"

void check(cudaError_t code, const char* what) {
    if (code != cudaSuccess) {
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
    }
}

struct Free {
    void operator()(float* memory) const { cudaFree(memory); }
};
using Array = std::unique_ptr<float, Free>;

Array new_array(std::int64_t count) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, static_cast<std::size_t>(count) * sizeof(float)), "cudaMalloc");
    return Array(static_cast<float*>(memory));
}

/// Seconds that the graph takes, on average of five launches.
double seconds_of(cudaGraphExec_t graph, cudaStream_t stream) {
    constexpr int kLaunches = 5;
    check(cudaGraphLaunch(graph, stream), "cudaGraphLaunch");
    check(cudaStreamSynchronize(stream), "the graph");
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kLaunches; ++i) {
        check(cudaGraphLaunch(graph, stream), "cudaGraphLaunch");
    }
    check(cudaStreamSynchronize(stream), "the graph");
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return passed.count() / kLaunches;
}

/// |b - A x| / |b|, by the host alone.
double residual(const std::vector<float>& b, const std::vector<float>& x, std::int64_t m) {
    const auto value = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        const bool inside = i >= 0 && i < m && j >= 0 && j < m && k >= 0 && k < m;
        return inside ? double{x[static_cast<std::size_t>((k * m + j) * m + i)]} : 0.0;
    };
    double rr = 0, bb = 0;
    for (std::int64_t k = 0; k < m; ++k) {
        for (std::int64_t j = 0; j < m; ++j) {
            for (std::int64_t i = 0; i < m; ++i) {
                const double its_b = b[static_cast<std::size_t>((k * m + j) * m + i)];
                const double r = its_b - 6 * value(i, j, k) + value(i - 1, j, k) +
                                 value(i + 1, j, k) + value(i, j - 1, k) + value(i, j + 1, k) +
                                 value(i, j, k - 1) + value(i, j, k + 1);
                rr += r * r;
                bb += its_b * its_b;
            }
        }
    }
    return std::sqrt(rr / bb);
}

void solve(std::int64_t m, int iterations) {
    const std::int64_t n = m * m * m;
    std::vector<float> b_values(static_cast<std::size_t>(n));
    std::mt19937 random;
    for (float& one : b_values) {
        one = std::uniform_real_distribution<float>(-1, 1)(random);
    }
    const std::size_t bytes = b_values.size() * sizeof(float);
    const Array b_memory = new_array(n), x_memory = new_array(n), r_memory = new_array(n),
                p_memory = new_array(n), q_memory = new_array(n), scalars = new_array(4);
    float *const b = b_memory.get(), *const x = x_memory.get(), *const r = r_memory.get(),
                 *const p = p_memory.get(), *const q = q_memory.get();
    float *const alpha = scalars.get(), *const beta = alpha + 1;
    // sum(r * r) of this iteration and of the next, in turn.
    float* const rr[]{alpha + 2, alpha + 3};

    const auto folder = std::filesystem::canonical("/proc/self/exe").parent_path();
    const auto laplacian = jitune::TunedKernel(folder / "laplacian.cu").prepare({m});
    const auto start = MapReduce("x[i] = 0; r[i] = b; p[i] = b; rr = sum(b * b)")
                           .prepare({{"b", b}}, n, {{"x", x}, {"r", r}, {"p", p}, {"rr", rr[0]}});
    // At the solution the sums are 0: nothing moves any more.
    const auto descend =
        MapReduce(
            "pq = sum(p * q); alpha = where(pq > 0, rr / pq, 0); r[i] = r - alpha * q;"
            "next = sum(r * r); beta = where(rr > 0, next / rr, 0)")
            .prepare({{"p", p}, {"q", q}, {"r", r}, {"rr", scalar_at(rr[0])}}, n,
                     {{"r", r}, {"alpha", alpha}, {"beta", beta}, {"next", rr[1]}});
    const auto turn = MapReduce("x[i] = x + alpha * p; p[i] = r + beta * p")
                          .prepare({{"x", x},
                                    {"p", p},
                                    {"r", r},
                                    {"alpha", scalar_at(alpha)},
                                    {"beta", scalar_at(beta)}},
                                   n, {{"x", x}, {"p", p}});

    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t solution = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    check(cudaMemcpyAsync(b, b_values.data(), bytes, cudaMemcpyHostToDevice, stream), "copy of b");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin of the capture");
    start({b, x, r, p, rr[0]}, stream);
    for (int k = 0; k < iterations; ++k) {
        laplacian({p, q}, stream);
        descend({p, q, r, rr[k % 2], r, alpha, beta, rr[(k + 1) % 2]}, stream);
        turn({x, p, r, alpha, beta, x, p}, stream);
    }
    check(cudaStreamEndCapture(stream, &graph), "end of the capture");
    check(cudaGraphInstantiate(&solution, graph, 0), "cudaGraphInstantiate");
    const double seconds = seconds_of(solution, stream);

    std::vector<float> x_values(b_values.size());
    check(cudaMemcpy(x_values.data(), x, bytes, cudaMemcpyDeviceToHost), "copy of x");
    for (const auto* step : {&laplacian, &descend, &turn}) {
        std::printf("%-8s %s\n", jitune::to_string(step->info().origin),
                    step->info().configuration.c_str());
    }
    std::printf("%d iterations: residual %.2e, %.2f us each\n", iterations,
                residual(b_values, x_values, m), seconds * 1e6 / iterations);
    cudaGraphExecDestroy(solution);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

}  // namespace

int main(int argc, char** argv) try {
    const long m = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 64;
    const long iterations = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 200;
    if (m < 1 || m > 1024 || iterations < 1 || iterations > 1000000) {
        std::fprintf(stderr, "usage: conjugate_gradient [M] [ITERATIONS], M up to 1024\n");
        return 2;
    }
    int gpus = 0;
    if (const cudaError_t code = cudaGetDeviceCount(&gpus); code != cudaSuccess) {
        std::fprintf(stderr, "conjugate_gradient: it needs a GPU: %s\n", cudaGetErrorString(code));
        return kNoGpu;
    }
    solve(m, static_cast<int>(iterations));
} catch (const std::exception& error) {
    std::fprintf(stderr, "conjugate_gradient: %s\n", error.what());
    return 1;
}
