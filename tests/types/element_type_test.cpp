// SPDX-License-Identifier: Apache-2.0
#include "jitune/element_type.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "fixtures/expect_error.hpp"
#include "types/element_names.hpp"
#include "types/element_visit.hpp"

namespace jitune::internal {
namespace {

template <class Half>
Half of_bits(unsigned bits) {
    Half half;
    half.bits = static_cast<std::uint16_t>(bits);
    return half;
}

template <class Half>
float to_float(unsigned bits) {
    return static_cast<float>(of_bits<Half>(bits));
}

/// A 16-bit float with the bits of its infinity.
template <class Half, unsigned infinity>
struct Format {
    using Type = Half;
    static constexpr unsigned kInfinity = infinity;
};

template <class Traits>
class HalfTest : public testing::Test {};
using Formats = testing::Types<Format<float16, 0x7c00>, Format<bfloat16, 0x7f80>>;
TYPED_TEST_SUITE(HalfTest, Formats);

TYPED_TEST(HalfTest, ComesBackFromFloatWithTheSameBits) {
    using Half = typename TypeParam::Type;
    for (unsigned bits = 0; bits <= TypeParam::kInfinity; ++bits) {
        for (const unsigned sign : {0U, 0x8000U}) {
            ASSERT_EQ(Half(to_float<Half>(bits | sign)).bits, bits | sign);
        }
    }
}

TYPED_TEST(HalfTest, RoundsToTheNearestAndTiesToEven) {
    using Half = typename TypeParam::Type;
    for (unsigned bits = 0; bits + 1 < TypeParam::kInfinity; ++bits) {
        const float low = to_float<Half>(bits);
        const float high = to_float<Half>(bits + 1);
        ASSERT_LT(low, high);
        const float tie = low + (high - low) / 2;
        ASSERT_EQ(Half(tie).bits, bits + bits % 2) << bits;
        ASSERT_EQ(Half(std::nextafter(tie, low)).bits, bits);
        ASSERT_EQ(Half(-std::nextafter(tie, high)).bits, (bits + 1) | 0x8000);
    }
}

TYPED_TEST(HalfTest, OverflowsToInfinity) {
    using Half = typename TypeParam::Type;
    const float most = to_float<Half>(TypeParam::kInfinity - 1);
    const float step = most - to_float<Half>(TypeParam::kInfinity - 2);
    EXPECT_EQ(Half(std::nextafter(most + step / 2, 0.0F)).bits, TypeParam::kInfinity - 1);
    EXPECT_EQ(Half(most + step / 2).bits, TypeParam::kInfinity);
    EXPECT_EQ(Half(-HUGE_VALF).bits, TypeParam::kInfinity | 0x8000);
    EXPECT_EQ(to_float<Half>(TypeParam::kInfinity), HUGE_VALF);
}

TYPED_TEST(HalfTest, KeepsNan) {
    using Half = typename TypeParam::Type;
    for (const std::uint32_t bits : {0x7fc00000U, 0x7f800001U, 0xffffffffU, 0xff800001U}) {
        const Half half(std::bit_cast<float>(bits));
        EXPECT_TRUE(std::isnan(static_cast<float>(half))) << bits;
        EXPECT_EQ(half.bits >> 15, bits >> 31);
    }
    for (unsigned bits = TypeParam::kInfinity + 1; bits < 0x8000; ++bits) {
        ASSERT_TRUE(std::isnan(to_float<Half>(bits)));
    }
}

TEST(Float16, HasKnownValues) {
    EXPECT_EQ(float16(1).bits, 0x3c00);
    EXPECT_EQ(float16(-2).bits, 0xc000);
    EXPECT_EQ(float16(65504).bits, 0x7bff);
    EXPECT_EQ(to_float<float16>(1), 0x1p-24F);
    EXPECT_EQ(float16(0x1p-25F).bits, 0);
    EXPECT_EQ(float16(-0.0F).bits, 0x8000);
}

TEST(Bfloat16, HasKnownValues) {
    EXPECT_EQ(bfloat16(1).bits, 0x3f80);
    EXPECT_EQ(to_float<bfloat16>(1), 0x1p-133F);
    EXPECT_EQ(bfloat16(255.0F / 256).bits, 0x3f7f);
}

TEST(ElementType, IsFoundByItsName) {
    for (const char* name : {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
                             "uint64", "float16", "bfloat16", "float32", "float64"}) {
        EXPECT_EQ(to_string(parse_element_type(name)), name);
    }
    expect_error(
        ErrorKind::usage,
        "\"float8\" is not an element type: use int8, uint8, int16, uint16, int32, uint32, "
        "int64, uint64, float16, bfloat16, float32 or float64",
        [] { parse_element_type("float8"); });
    EXPECT_THROW(parse_element_type(""), Error);
}

TEST(ElementType, HasASize) {
    EXPECT_EQ(bytes_of(ElementType::uint8), 1U);
    EXPECT_EQ(bytes_of(ElementType::bfloat16), 2U);
    EXPECT_EQ(bytes_of(ElementType::float32), 4U);
    EXPECT_EQ(bytes_of(ElementType::uint64), 8U);
}

TEST(ElementType, RefusesANumberThatIsNone) {
    const auto none = static_cast<ElementType>(99);
    EXPECT_EQ(bytes_of(none), 0U);
    expect_error(ErrorKind::usage, "99", [&] { to_string(none); });
}

TEST(ElementTypes, AgreeWithTheirCppTypes) {
    for (const ElementType type : element_types()) {
        EXPECT_EQ(element_type_from(to_string(type)), type);
        EXPECT_EQ(type_bytes(to_string(type)), bytes_of(type));
        visit_element(type, [&]<class T>(T) {
            EXPECT_EQ(kElementType<T>, type) << to_string(type);
            EXPECT_EQ(sizeof(T), bytes_of(type)) << to_string(type);
        });
    }
    EXPECT_EQ(bytes_of(static_cast<ElementType>(element_types().size())), 0U);
}

}  // namespace
}  // namespace jitune::internal
