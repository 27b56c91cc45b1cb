// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jitune/entropy.hpp"
#include "spread/host_work.hpp"

namespace jitune::internal {

/// The entropy of an array in host memory, in parts of its rows. A part is computed together with
/// its halo, whose own entropies are dropped.
class EntropyWork final : public HostWork {
public:
    /// `staged` is the element type that the kernel takes: the request's, or uint8. `scale` is the
    /// kernel's argument, as bits.
    EntropyWork(const detail::EntropyRequest& request, ElementType staged, const void* input,
                std::uint64_t scale, float* output);

    [[nodiscard]] std::int64_t rows() const override { return request_.rows; }
    [[nodiscard]] std::int64_t halo() const override { return request_.entropy.window / 2; }
    [[nodiscard]] std::size_t row_bytes() const override;
    [[nodiscard]] Chunk chunk(const Part& part) const override;
    void stage(const Part& part, std::byte* staging) const override;
    [[nodiscard]] std::array<void*, kMaxArguments> arrays(void* input, void* output) const override;

private:
    detail::EntropyRequest request_;
    ElementType staged_;
    const std::byte* input_;
    std::uint64_t scale_;
    float* output_;
};

}  // namespace jitune::internal
