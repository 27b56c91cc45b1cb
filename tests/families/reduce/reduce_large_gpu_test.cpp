// SPDX-License-Identifier: Apache-2.0
// Sizes at which a signed or an unsigned 32-bit index wraps, in every finish.

#include <cstring>

#include "dispatch/engine.hpp"
#include "dispatch/session_access.hpp"
#include "families/reduce/reduce_reference.hpp"
#include "fixtures/gpu_fixture.hpp"
#include "fixtures/reduce_form.hpp"
#include "jitune/reduce.hpp"

namespace jitune::internal {
namespace {

constexpr std::size_t kPeriod = 65'521;  // no multiple of any tile
constexpr std::size_t kGiB = std::size_t{1} << 30;
constexpr const char* kTooLittle = "too little device memory is free";

class ReduceLarge : public GpuFixture, public testing::WithParamInterface<std::size_t> {
protected:
    [[nodiscard]] bool lacks(std::size_t bytes) const {
        std::size_t free = 0;
        std::size_t total = 0;
        driver_->cuMemGetInfo(&free, &total);
        return free < bytes + kGiB;
    }

    /// What the array repeats: the second half mirrors the first, so that every sum is exact.
    template <class T>
    static std::vector<T> pattern() {
        constexpr float kUnit = std::is_integral_v<T> ? 1 : 1.0f / 32;
        std::vector<T> values(kPeriod);
        for (std::size_t i = 0; i < kPeriod / 2; ++i) {
            const float value = static_cast<float>(i * 2654435761u >> 7 & 31) - 15;
            values[i] = static_cast<T>(value * kUnit);
            values[kPeriod - 1 - i] = static_cast<T>(-value * kUnit);
        }
        return values;
    }

    template <class T>
    static void fill(const DeviceArray<T>& array, std::size_t n) {
        constexpr std::size_t kTimes = 512;
        std::vector<T> many;
        for (std::size_t i = 0; i < kTimes; ++i) {
            const auto once = pattern<T>();
            many.insert(many.end(), once.begin(), once.end());
        }
        for (std::size_t at = 0; at < n; at += many.size()) {
            array.upload(std::span(many).first(std::min(many.size(), n - at)), at);
        }
    }

    template <class T>
    static Expected expected(ReduceOp op, ElementType result, std::size_t n) {
        const auto layout = layout_of(ReduceKind::all, 1, static_cast<std::int64_t>(n));
        const std::vector<T> values = pattern<T>();
        return reduce_reference({kElementType<T>, op, result}, layout,
                                std::as_bytes(std::span(values)));
    }

    template <class R, class T>
    void expect(const Expected& right, const DeviceArray<T>& array, ReduceOp op,
                std::initializer_list<std::string_view> finishes, int index_bytes = 8) {
        const auto& attributes = SessionAccess::engine(session_).device("cuda:0").info().attributes;
        for (const std::string_view finish : finishes) {
            if (finish == "cluster" && attributes.at("compute_capability") < 90) {
                continue;
            }
            const ReduceForm form{.index_bytes = index_bytes};
            const std::string text = form.text(kElementType<T>, finish);
            const R got =
                tuned_reduce<R>(array.data(), GetParam(), Reduction(op, text), nullptr, session_);
            EXPECT_EQ(compare(right, std::as_bytes(std::span(&got, 1))), "")
                << to_string(op) << " " << text;
        }
    }
};

TEST_P(ReduceLarge, Int8) {
    const std::size_t n = GetParam();
    if (lacks(n)) {
        GTEST_SKIP() << kTooLittle;
    }
    const DeviceArray<std::int8_t> array(*driver_, n, 1);
    fill(array, n);
    expect<std::int32_t>(
        expected<std::int8_t>(ReduceOp::sum, ElementType::int32, n), array, ReduceOp::sum,
        {"direct", "slots", "ticket", "packed", "atomic", "cluster", "two_launches"});
    expect<std::int64_t>(expected<std::int8_t>(ReduceOp::count_nonzero, ElementType::int64, n),
                         array, ReduceOp::count_nonzero,
                         {"direct", "slots", "ticket", "atomic", "cluster", "two_launches"});

    const auto last = static_cast<std::int64_t>(n - 1);
    const std::int8_t largest = 100;
    array.upload(std::span(&largest, 1), n - 1);
    Expected index = expected<std::int8_t>(ReduceOp::arg_max, ElementType::int64, n);
    std::memcpy(index.values.data(), &last, sizeof last);
    expect<std::int64_t>(index, array, ReduceOp::arg_max, {"direct", "ticket", "two_launches"});
    if (n < std::size_t{1} << 32) {
        expect<std::int64_t>(index, array, ReduceOp::arg_max,
                             {"direct", "slots", "ticket", "cluster", "two_launches"}, 4);
    }
}

TEST_P(ReduceLarge, Float16) {
    const std::size_t n = GetParam();
    if (lacks(n * sizeof(float16))) {
        GTEST_SKIP() << kTooLittle;
    }
    const DeviceArray<float16> array(*driver_, n, 1);
    fill(array, n);
    expect<float>(expected<float16>(ReduceOp::sum, ElementType::float32, n), array, ReduceOp::sum,
                  {"direct", "slots", "ticket", "cluster", "two_launches"});
}

INSTANTIATE_TEST_SUITE_P(Of, ReduceLarge,
                         testing::Values((std::size_t{1} << 31) - 1, (std::size_t{1} << 31) + 1,
                                         (std::size_t{1} << 32) + 1));

}  // namespace
}  // namespace jitune::internal
