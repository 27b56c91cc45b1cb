// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/arena.hpp"

#include "reduce_compare/fill.hpp"
#include "reduce_compare/reader.hpp"

namespace jitune::bench {

namespace {

constexpr std::size_t kFlushBytes = std::size_t{256} << 20;
constexpr int kPoison = 0xA5;

cudaStream_t new_stream() {
    cudaStream_t stream = nullptr;
    cuda_call(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
    return stream;
}

}  // namespace

Arena::Arena(std::size_t pool_bytes, std::size_t result_bytes)
    : stream_(new_stream()), pool_(pool_bytes), results_(result_bytes), flush_(kFlushBytes) {
    fill(ElementType::int32, values_for(ElementType::int32, ReduceOp::sum), flush_.data(),
         kFlushBytes / sizeof(std::int32_t), stream());
}

void Arena::load(ElementType element, const Values& values) {
    if (loaded_ != std::pair(element, values)) {
        fill(element, values, pool_.data(), pool_.bytes() / bytes_of(element), stream());
        loaded_ = {element, values};
    }
}

void Arena::poison() const {
    cuda_call(cudaMemsetAsync(results_.data(), kPoison, results_.bytes(), stream()),
              "poison the results");
}

void Arena::flush_l2() const {
    read_all(flush_.data(), kFlushBytes, stream());
}

}  // namespace jitune::bench
