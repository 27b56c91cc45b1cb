// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/shaped_reference.hpp"

#include <array>

namespace jitune::bench {

namespace {

constexpr unsigned kBlocks = 1056;
constexpr unsigned kThreads = 512;
constexpr long long kLowest = -(1LL << 62);

/// Which of a problem's results an element belongs to.
struct Membership {
    Shape shape;
    std::size_t outer;
    std::size_t inner;
    const std::int64_t* offsets;

    [[nodiscard]] __device__ std::size_t of(std::size_t element) const {
        if (shape == Shape::rows) {
            return element / inner;
        }
        if (shape == Shape::columns) {
            return element % inner;
        }
        std::size_t low = 0;  // offsets[low] <= element < offsets[high]
        std::size_t high = outer;
        while (high - low > 1) {
            const std::size_t middle = (low + high) / 2;
            if (static_cast<std::size_t>(offsets[middle]) <= element) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }
};

__global__ void set_kernel(long long* expected, std::size_t results, long long value) {
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < results;
         i += std::size_t{gridDim.x} * blockDim.x) {
        expected[i] = value;
    }
}

__global__ void expect_kernel(Values values, Membership membership, std::size_t start,
                              std::size_t n, bool largest, long long* expected) {
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
         i += std::size_t{gridDim.x} * blockDim.x) {
        const long long value = values.at(start + i);
        if (largest) {
            atomicMax(expected + membership.of(i), value);
        } else {
            atomicAdd(reinterpret_cast<unsigned long long*>(expected + membership.of(i)),
                      static_cast<unsigned long long>(value));
        }
    }
}

/// Sums of integers wrap; an empty segment's maximum is the type's lowest and not compared.
template <class R>
__global__ void compare_kernel(const long long* expected, const void* results, std::size_t count,
                               unsigned long long* mistakes) {
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
         i += std::size_t{gridDim.x} * blockDim.x) {
        const R result = static_cast<const R*>(results)[i];
        if (expected[i] != kLowest && !(result == static_cast<R>(expected[i]))) {
            atomicAdd(mistakes, 1ULL);
        }
    }
}

using Compare = void (*)(const long long*, const void*, std::size_t, unsigned long long*);

struct CompareRow {
    ElementType result;
    Compare kernel;
};

constexpr std::array<CompareRow, 6> kCompares{{{ElementType::int32, compare_kernel<std::int32_t>},
                                               {ElementType::uint32, compare_kernel<std::uint32_t>},
                                               {ElementType::int64, compare_kernel<std::int64_t>},
                                               {ElementType::uint64, compare_kernel<std::uint64_t>},
                                               {ElementType::float32, compare_kernel<float>},
                                               {ElementType::float64, compare_kernel<double>}}};

Compare compare_for(ElementType result) {
    for (const CompareRow& row : kCompares) {
        if (row.result == result) {
            return row.kernel;
        }
    }
    throw Error(ErrorKind::usage, "compare shaped results of type " +
                                      std::string(to_string(result)) + ": there is no comparison");
}

}  // namespace

ShapedReference::ShapedReference(const Problem& problem, const Values& values,
                                 const std::vector<std::size_t>& starts,
                                 const std::int64_t* offsets, cudaStream_t stream)
    : problem_(problem),
      expected_(starts.size() * problem.results() * sizeof(long long)),
      count_(sizeof(unsigned long long)) {
    const bool largest = problem.op == ReduceOp::max;
    const Membership membership{problem.shape, problem.outer, problem.inner, offsets};
    auto* expected = expected_.as<long long>();
    set_kernel<<<kBlocks, kThreads, 0, stream>>>(expected, starts.size() * problem.results(),
                                                 largest ? kLowest : 0);
    for (const std::size_t start : starts) {
        expect_kernel<<<kBlocks, kThreads, 0, stream>>>(values, membership, start,
                                                        problem.elements(), largest, expected);
        expected += problem.results();
    }
    cuda_call(cudaGetLastError(), "compute what is expected");
    cuda_call(cudaStreamSynchronize(stream), "compute what is expected");
}

std::size_t ShapedReference::mistakes(std::size_t i, const void* results,
                                      cudaStream_t stream) const {
    const auto* expected = expected_.as<long long>() + i * problem_.results();
    cuda_call(cudaMemsetAsync(count_.data(), 0, count_.bytes(), stream), "clear a count");
    const Compare kernel = compare_for(result_type(problem_.element, problem_.op));
    kernel<<<kBlocks, kThreads, 0, stream>>>(expected, results, problem_.results(),
                                             count_.as<unsigned long long>());
    cuda_call(cudaGetLastError(), "compare with what is expected");
    unsigned long long count = 0;
    cuda_call(cudaMemcpyAsync(&count, count_.data(), sizeof count, cudaMemcpyDeviceToHost, stream),
              "copy a count");
    cuda_call(cudaStreamSynchronize(stream), "compare with what is expected");
    return count;
}

}  // namespace jitune::bench
