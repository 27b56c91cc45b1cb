// SPDX-License-Identifier: Apache-2.0
// Values that kernels get wrong first: NaN, infinities, zeros with a sign, the lowest integers, and
// equal extremes. Each operation runs in the default configuration and in every third finish; all
// operations together run in every finish.

#include <cmath>
#include <limits>

#include "dispatch/engine.hpp"
#include "dispatch/session_access.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/gpu_fixture.hpp"
#include "fixtures/reduce_form.hpp"
#include "jitune/reduce.hpp"

namespace jitune::internal {
namespace {

constexpr std::size_t kLengths[] = {1, 5, 5000, 70'001};

class ReduceSpecial : public GpuFixture {
protected:
    /// The default configuration, as an empty text, and every third finish that fits, beginning
    /// with another one for each operation: to compile all finishes would take minutes.
    std::vector<std::string> configurations(const detail::ReduceRequest& request) {
        const KernelTemplate& kernel =
            reduce_kernel(ReduceKind::all, PlatformKind::cuda).kernel_template;
        const DeviceInfo& device = SessionAccess::engine(session_).device("cuda:0").info();
        std::vector<std::string> result{""};
        for (std::size_t i = static_cast<std::size_t>(request.reduction.op) % 3;
             i < std::size(kFinishes); i += 3) {
            for (const int index_bytes : {8, 4}) {
                const ReduceForm form{.unroll = 1, .index_bytes = index_bytes};
                const std::string text = form.text(request.element, kFinishes[i]);
                const auto configuration =
                    Configuration::parse(text, kernel.front_matter().parameters);
                if (kernel.accepts(configuration, reduce_problem(request), device)) {
                    result.push_back(text);
                }
            }
        }
        return result;
    }

    /// What every configuration gives; where they differ, a failure that names one.
    template <class R, class T, class Judge>
    void expect(ReduceOp op, const std::vector<T>& values, const Judge& is_right) {
        const std::size_t n = values.size();
        const DeviceArray<T> array(*driver_, values, 1);
        const detail::ReduceRequest request{kElementType<T>, kElementType<R>, op,
                                            detail::ReduceShape::all(n)};
        for (const std::string& text : configurations(request)) {
            const Reduction reduction = text.empty() ? Reduction(op) : Reduction(op, text);
            const R got = tuned_reduce<R>(array.data(), n, reduction, nullptr, session_);
            EXPECT_TRUE(is_right(got))
                << to_string(op) << " of " << n << " " << to_string(kElementType<T>) << " gave "
                << +got << ", " << (text.empty() ? "default" : text);
        }
    }
    template <class R, class T>
    void expect_value(ReduceOp op, const std::vector<T>& values, R right) {
        SCOPED_TRACE(+right);
        expect<R>(op, values, [&](R got) { return got == right; });
    }
    template <class T>
    void expect_nan(ReduceOp op, const std::vector<T>& values) {
        expect<ReducedType<T>>(op, values, [](auto got) { return std::isnan(got); });
    }
};

template <class T>
class ReduceSpecialFloats : public ReduceSpecial {
protected:
    using Result = ReducedType<T>;
    static constexpr Result kInfinity = std::numeric_limits<Result>::infinity();

    static T of(double value) { return static_cast<T>(static_cast<Result>(value)); }
    static std::vector<T> ones(std::size_t n) { return std::vector<T>(n, of(1)); }
};
using Floats = testing::Types<float16, bfloat16, float, double>;
TYPED_TEST_SUITE(ReduceSpecialFloats, Floats);

TYPED_TEST(ReduceSpecialFloats, NanIsTheAnswerWhereverItIs) {
    for (const std::size_t n : kLengths) {
        for (const std::size_t spot : {std::size_t{0}, n / 2, n - 1}) {
            SCOPED_TRACE(spot);
            auto values = this->ones(n);
            values[spot] = this->of(std::nan(""));
            for (const ReduceOp op :
                 {ReduceOp::sum, ReduceOp::product, ReduceOp::min, ReduceOp::max, ReduceOp::mean,
                  ReduceOp::sum_of_squares, ReduceOp::norm, ReduceOp::sum_abs, ReduceOp::max_abs}) {
                this->expect_nan(op, values);
            }
            const auto index = static_cast<std::int64_t>(spot);
            this->expect_value(ReduceOp::arg_min, values, index);
            this->expect_value(ReduceOp::arg_max, values, index);
            this->expect_value(ReduceOp::count_nonzero, values, static_cast<std::int64_t>(n));
            this->expect_value(ReduceOp::all, values, true);
            this->expect_value(ReduceOp::any, values, true);
        }
    }
}

TYPED_TEST(ReduceSpecialFloats, TheFirstNanIsTheExtreme) {
    auto values = this->ones(70'001);
    values[7] = this->of(-5);
    values[60'000] = this->of(std::nan(""));
    values[1234] = this->of(std::nan(""));
    this->expect_value(ReduceOp::arg_min, values, std::int64_t{1234});
    this->expect_value(ReduceOp::arg_max, values, std::int64_t{1234});
}

TYPED_TEST(ReduceSpecialFloats, InfinitiesAreValues) {
    using R = typename TestFixture::Result;
    const R infinity = TestFixture::kInfinity;
    for (const std::size_t n : {std::size_t{5}, std::size_t{70'001}}) {
        auto values = this->ones(n);
        values[n - 2] = this->of(infinity);
        for (const ReduceOp op : {ReduceOp::sum, ReduceOp::product, ReduceOp::max, ReduceOp::mean,
                                  ReduceOp::norm, ReduceOp::sum_abs, ReduceOp::max_abs}) {
            this->expect_value(op, values, infinity);
        }
        this->expect_value(ReduceOp::min, values, R{1});
        this->expect_value(ReduceOp::arg_max, values, static_cast<std::int64_t>(n - 2));

        values[1] = this->of(-infinity);
        this->expect_nan(ReduceOp::sum, values);
        this->expect_value(ReduceOp::min, values, -infinity);
        this->expect_value(ReduceOp::max_abs, values, infinity);
        this->expect_value(ReduceOp::arg_min, values, std::int64_t{1});
    }
}

TYPED_TEST(ReduceSpecialFloats, AmongInfinitiesOnlyTheFirstIsTheExtreme) {
    const std::vector<TypeParam> lowest(5000, this->of(-TestFixture::kInfinity));
    this->expect_value(ReduceOp::arg_max, lowest, std::int64_t{0});
    const std::vector<TypeParam> highest(5000, this->of(TestFixture::kInfinity));
    this->expect_value(ReduceOp::arg_min, highest, std::int64_t{0});
}

TYPED_TEST(ReduceSpecialFloats, ZeroWithASignIsZero) {
    using R = typename TestFixture::Result;
    for (const std::size_t n : kLengths) {
        std::vector<TypeParam> values(n, this->of(-0.0));
        values[n / 2] = this->of(0.0);
        for (const ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::max, ReduceOp::max_abs}) {
            this->expect_value(op, values, R{0});
        }
        this->expect_value(ReduceOp::arg_min, values, std::int64_t{0});
        this->expect_value(ReduceOp::arg_max, values, std::int64_t{0});
        this->expect_value(ReduceOp::count_nonzero, values, std::int64_t{0});
        this->expect_value(ReduceOp::any, values, false);
        values[n - 1] = this->of(-0.5);
        this->expect_value(ReduceOp::all, values, n == 1);
        this->expect_value(ReduceOp::any, values, true);
        this->expect_value(ReduceOp::count_nonzero, values, std::int64_t{1});
    }
}

template <class T>
class ReduceSpecialIntegers : public ReduceSpecial {};
using Integers = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(ReduceSpecialIntegers, Integers);

TYPED_TEST(ReduceSpecialIntegers, TheLowestIntegerHasAMagnitudeThatWraps) {
    using R = ReducedType<TypeParam>;
    using Limits = std::numeric_limits<TypeParam>;
    const auto wrapped = [](std::uint64_t value) { return static_cast<R>(value); };
    const std::uint64_t magnitude = std::uint64_t{1} << Limits::digits;
    for (const std::size_t n : kLengths) {
        std::vector<TypeParam> values(n, Limits::max());
        values[n / 2] = Limits::lowest();
        const auto index = static_cast<std::int64_t>(n / 2);
        this->expect_value(ReduceOp::min, values, R{Limits::lowest()});
        this->expect_value(ReduceOp::arg_min, values, index);
        this->expect_value(ReduceOp::max_abs, values, wrapped(magnitude));
        this->expect_value(ReduceOp::sum_abs, values,
                           wrapped(magnitude + (n - 1) * (magnitude - 1)));

        const std::vector<TypeParam> lowest(n, Limits::lowest());
        this->expect_value(ReduceOp::max, lowest, R{Limits::lowest()});
        this->expect_value(ReduceOp::arg_max, lowest, std::int64_t{0});
        this->expect_value(ReduceOp::sum, lowest, wrapped(-(magnitude * n)));
    }
}

TEST_F(ReduceSpecial, AWiderResultDoesNotWrap) {
    const std::vector<std::int32_t> lowest(3, std::numeric_limits<std::int32_t>::lowest());
    const std::int64_t one = std::int64_t{1} << 31;
    expect_value(ReduceOp::sum, lowest, -3 * one);
    expect_value(ReduceOp::sum_abs, lowest, 3 * one);
    expect_value(ReduceOp::max_abs, lowest, one);
    const std::vector<std::uint32_t> highest(3, std::numeric_limits<std::uint32_t>::max());
    expect_value(ReduceOp::sum, highest, 3 * (std::uint64_t{1} << 32) - 3);
    expect_value(ReduceOp::sum, highest, std::uint32_t{0} - 3u);
}

TEST_F(ReduceSpecial, TheFirstOfEqualExtremesWins) {
    for (const std::size_t n : kLengths) {
        std::vector<std::int8_t> values(n, 1);
        expect_value(ReduceOp::arg_min, values, std::int64_t{0});
        expect_value(ReduceOp::arg_max, values, std::int64_t{0});
        for (const std::size_t spot : {n / 3, n / 2, n - 1}) {
            values[spot] = -7;
        }
        expect_value(ReduceOp::arg_min, values, static_cast<std::int64_t>(n / 3));
    }
}

TEST_F(ReduceSpecial, NoElementsGiveTheValueInTheTable) {
    const float* none = nullptr;
    EXPECT_EQ(tuned_reduce(none, 0, ReduceOp::sum, nullptr, session_), 0);
    EXPECT_EQ(tuned_reduce(none, 0, ReduceOp::product, nullptr, session_), 1);
    EXPECT_EQ(tuned_reduce(none, 0, ReduceOp::min, nullptr, session_),
              std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(tuned_reduce(none, 0, ReduceOp::mean, nullptr, session_)));
    EXPECT_EQ(tuned_reduce(none, 0, ReduceOp::norm, nullptr, session_), 0);
    EXPECT_TRUE(tuned_reduce<bool>(none, 0, ReduceOp::all, nullptr, session_));
    EXPECT_FALSE(tuned_reduce<bool>(none, 0, ReduceOp::any, nullptr, session_));
    EXPECT_EQ(tuned_reduce<std::int64_t>(none, 0, ReduceOp::count_nonzero, nullptr, session_), 0);
    expect_error(ErrorKind::usage, "arg_min of no elements", [&] {
        return tuned_reduce<std::int64_t>(none, 0, ReduceOp::arg_min, nullptr, session_);
    });
    EXPECT_EQ(session_.counters().compiles, 0);
}

}  // namespace
}  // namespace jitune::internal
