// SPDX-License-Identifier: Apache-2.0
#include "families/entropy/entropy_work.hpp"

#include <algorithm>
#include <cstring>

#include "families/entropy/entropy_problem.hpp"
#include "families/entropy/level_bytes.hpp"

namespace jitune::internal {

EntropyWork::EntropyWork(const detail::EntropyRequest& request, ElementType staged,
                         const void* input, std::uint64_t scale, float* output)
    : request_(request),
      staged_(staged),
      input_(static_cast<const std::byte*>(input)),
      scale_(scale),
      output_(output) {}

std::size_t EntropyWork::row_bytes() const {
    return static_cast<std::size_t>(request_.columns) * std::max(bytes_of(staged_), sizeof(float));
}

Chunk EntropyWork::chunk(const Part& part) const {
    const std::int64_t columns = request_.columns;
    const auto elements = [&](std::int64_t rows) {
        return static_cast<std::size_t>(rows * columns);
    };
    Chunk chunk;
    chunk.sizes =
        sizes_of({request_.element, part.last - part.first, request_.columns, request_.entropy});
    chunk.size_count = 2;
    chunk.input_bytes = elements(part.last - part.first) * bytes_of(staged_);
    chunk.output_bytes = elements(part.last - part.first) * sizeof(float);
    chunk.skipped = elements(part.begin - part.first) * sizeof(float);
    chunk.target = std::as_writable_bytes(
        std::span(output_ + part.begin * columns, elements(part.end - part.begin)));
    if (staged_ == request_.element) {
        chunk.source = input_ + elements(part.first) * bytes_of(staged_);
    }
    return chunk;
}

void EntropyWork::stage(const Part& part, std::byte* staging) const {
    const auto first = static_cast<std::size_t>(part.first * request_.columns);
    const auto count = static_cast<std::size_t>((part.last - part.first) * request_.columns);
    const std::size_t element = bytes_of(request_.element);
    const std::byte* const from = input_ + first * element;
    if (staged_ == request_.element) {
        std::memcpy(staging, from, count * element);
    } else {
        write_level_bytes(from, request_.element, count, request_.entropy.levels,
                          reinterpret_cast<std::uint8_t*>(staging));
    }
}

std::array<void*, kMaxArguments> EntropyWork::arrays(void* input, void* output) const {
    return {input, argument_of(scale_), output};
}

}  // namespace jitune::internal
