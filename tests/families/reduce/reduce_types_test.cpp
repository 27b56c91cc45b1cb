// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_types.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "fixtures/expect_error.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {
namespace {

using E = ElementType;
using Op = ReduceOp;
using Types = std::vector<ElementType>;

template <class R>
R nothing(ReduceOp op) {
    const auto bytes = value_of_nothing(op, kElementType<R>);
    R value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

Types first_two(E element, Op op) {
    Types types = results_of(element, op);
    types.resize(2);
    return types;
}

TEST(ReduceTypes, AnswersInTheElementsOwnKindOf32Or64Bits) {
    for (const Op op :
         {Op::sum, Op::product, Op::min, Op::max, Op::sum_of_squares, Op::sum_abs, Op::max_abs}) {
        for (const E narrow : {E::int8, E::int16, E::int32}) {
            EXPECT_EQ(first_two(narrow, op), (Types{E::int32, E::int64}));
        }
        for (const E narrow : {E::uint8, E::uint16, E::uint32}) {
            EXPECT_EQ(first_two(narrow, op), (Types{E::uint32, E::uint64}));
        }
        for (const E narrow : {E::float16, E::bfloat16, E::float32}) {
            EXPECT_EQ(first_two(narrow, op), (Types{E::float32, E::float64}));
        }
        for (const E wide : {E::int64, E::uint64, E::float64}) {
            EXPECT_EQ(results_of(wide, op), Types{wide});
        }
    }
}

TEST(ReduceTypes, AccumulatesInTheResult) {
    for (const Op op : {Op::sum, Op::product, Op::max_abs}) {
        EXPECT_EQ(accumulator_of(E::int8, op, E::int32), E::int32);
        EXPECT_EQ(accumulator_of(E::int8, op, E::int64), E::int64);
        EXPECT_EQ(accumulator_of(E::float16, op, E::float64), E::float64);
        EXPECT_EQ(accumulator_of(E::uint64, op, E::uint64), E::uint64);
    }
}

TEST(ReduceTypes, RoundsFloatsOf16BitsOnceWhereTheyAreAskedFor) {
    for (const ReduceOpRow& row : reduce_operations()) {
        const bool is_value = row.kind == ResultKind::reduced || row.kind == ResultKind::average ||
                              row.kind == ResultKind::real;
        for (const E element : {E::float16, E::bfloat16}) {
            if (is_value) {
                EXPECT_EQ(results_of(element, row.value), (Types{E::float32, E::float64, element}));
                EXPECT_EQ(accumulator_of(element, row.value, element), E::float32);
            }
        }
        EXPECT_EQ(results_of(E::float32, row.value).size(),
                  is_value ? 2U : results_of(E::float64, row.value).size());
    }
}

TEST(ReduceTypes, GivesExtremesOfIntegersInTheirOwnType) {
    for (const E element : {E::int8, E::uint8, E::int16, E::uint16}) {
        for (const Op op : {Op::min, Op::max}) {
            EXPECT_EQ(results_of(element, op).back(), element);
            EXPECT_EQ(results_of(element, op).size(), 3U);
            EXPECT_EQ(bytes_of(accumulator_of(element, op, element)), 4U);
        }
        for (const Op op : {Op::sum, Op::max_abs, Op::product}) {  // they may not fit
            EXPECT_EQ(results_of(element, op).size(), 2U);
        }
    }
    EXPECT_EQ(results_of(E::int32, Op::min), (Types{E::int32, E::int64}));
}

TEST(ReduceTypes, AveragesIntegersInFloat64) {
    EXPECT_EQ(results_of(E::uint16, Op::mean), Types{E::float64});
    EXPECT_EQ(accumulator_of(E::uint16, Op::mean, E::float64), E::uint64);
    EXPECT_EQ(accumulator_of(E::int64, Op::mean, E::float64), E::int64);
    EXPECT_EQ(accumulator_of(E::bfloat16, Op::mean, E::float32), E::float32);
    EXPECT_EQ(accumulator_of(E::int8, Op::norm, E::float64), E::float64);
    EXPECT_EQ(accumulator_of(E::float32, Op::norm, E::float64), E::float64);
}

TEST(ReduceTypes, ComparesIndexedElementsInTheirOwnKind) {
    EXPECT_EQ(accumulator_of(E::int8, Op::arg_min, E::int64), E::int32);
    EXPECT_EQ(accumulator_of(E::float16, Op::arg_max, E::int64), E::float32);
    EXPECT_EQ(accumulator_of(E::uint64, Op::arg_max, E::int64), E::uint64);
}

TEST(ReduceTypes, CountsInInt64AndDecidesInABool) {
    EXPECT_EQ(accumulator_of(E::float16, Op::count_nonzero, E::int64), E::int64);
    EXPECT_EQ(accumulator_of(E::float64, Op::all, E::uint8), E::uint32);
    EXPECT_EQ(accumulator_of(E::int8, Op::any, E::uint8), E::uint32);
}

TEST(ReduceTypes, LeavesTheResultOfACustomOperationToIt) {
    for (const E result : element_types()) {
        EXPECT_EQ(accumulator_of(E::int8, Op::custom, result), E::float32);
    }
    EXPECT_EQ(results_of(E::int8, Op::custom).front(), E::float32);
}

TEST(ReduceTypes, NamesTheSupportedResultTypes) {
    expect_error(ErrorKind::usage,
                 "arg_max of float32 gives int64, not float32: ask for tuned_reduce<std::int64_t>",
                 [] { accumulator_of(E::float32, Op::arg_max, E::float32); });
    expect_error(ErrorKind::usage, "sum of int8 gives int32 or int64, not uint32",
                 [] { accumulator_of(E::int8, Op::sum, E::uint32); });
    expect_error(ErrorKind::usage, "tuned_reduce<float> or tuned_reduce<double>",
                 [] { accumulator_of(E::float16, Op::sum, E::int32); });
    expect_error(ErrorKind::usage, "tuned_reduce<bool>",
                 [] { accumulator_of(E::float16, Op::all, E::float32); });
    expect_error(ErrorKind::usage,
                 "tuned_reduce<float> or tuned_reduce<double> or tuned_reduce<jitune::float16>",
                 [] { accumulator_of(E::float16, Op::sum, E::bfloat16); });
    expect_error(ErrorKind::usage, "or tuned_reduce<std::uint8_t>",
                 [] { accumulator_of(E::uint8, Op::min, E::int8); });
    EXPECT_THROW(accumulator_of(E::int64, Op::sum, E::int32), Error);
    EXPECT_THROW(accumulator_of(E::float32, Op::mean, E::int32), Error);
}

TEST(ReduceTypes, RefusesValuesOutsideTheEnum) {
    expect_error(ErrorKind::usage, "99 is not a reduction operation: use sum, product",
                 [] { accumulator_of(E::int8, static_cast<Op>(99), E::int32); });
    expect_error(ErrorKind::usage, "99 is not an element type",
                 [] { accumulator_of(static_cast<E>(99), Op::sum, E::int32); });
    expect_error(ErrorKind::usage, "99", [] { value_of_nothing(static_cast<Op>(99), E::int32); });
    expect_error(ErrorKind::usage, "99", [] { to_string(static_cast<Determinism>(99)); });
}

TEST(ValueOfNothing, IsNeutralInTheResultsType) {
    EXPECT_EQ(nothing<std::int32_t>(Op::sum), 0);
    EXPECT_EQ(nothing<float>(Op::product), 1);
    EXPECT_EQ(nothing<std::uint64_t>(Op::product), 1U);
    EXPECT_EQ(nothing<double>(Op::norm), 0);
    EXPECT_EQ(nothing<float>(Op::max_abs), 0);
    EXPECT_TRUE(std::isnan(nothing<double>(Op::mean)));
    EXPECT_TRUE(std::isnan(nothing<float>(Op::mean)));
    EXPECT_EQ(nothing<std::uint8_t>(Op::all), 1);
    EXPECT_EQ(nothing<std::uint8_t>(Op::any), 0);
    EXPECT_EQ(nothing<std::int64_t>(Op::count_nonzero), 0);
}

TEST(ValueOfNothing, IsTheOtherExtremeForMinAndMax) {
    EXPECT_EQ(nothing<float>(Op::min), HUGE_VALF);
    EXPECT_EQ(nothing<double>(Op::max), -HUGE_VAL);
    EXPECT_EQ(nothing<std::int32_t>(Op::min), std::numeric_limits<std::int32_t>::max());
    EXPECT_EQ(nothing<std::int64_t>(Op::max), std::numeric_limits<std::int64_t>::lowest());
    EXPECT_EQ(nothing<std::uint32_t>(Op::max), 0U);
    EXPECT_EQ(nothing<std::int8_t>(Op::min), 127);
    EXPECT_EQ(nothing<std::int16_t>(Op::max), -32768);
    EXPECT_EQ(static_cast<float>(nothing<float16>(Op::min)), HUGE_VALF);
    EXPECT_EQ(static_cast<float>(nothing<bfloat16>(Op::max)), -HUGE_VALF);
    EXPECT_TRUE(std::isnan(static_cast<float>(nothing<float16>(Op::mean))));
    EXPECT_EQ(nothing<float16>(Op::product).bits, 0x3c00);
}

TEST(ValueOfNothing, IsRefusedIfUndefined) {
    for (const Op op : {Op::arg_min, Op::arg_max, Op::custom}) {
        expect_error(ErrorKind::usage, std::string(to_string(op)) + " of no elements",
                     [&] { value_of_nothing(op, E::int64); });
    }
}

TEST(ReduceOp, IsFoundByItsName) {
    for (const ReduceOpRow& row : reduce_operations()) {
        EXPECT_EQ(parse_reduce_op(row.name), row.value);
        EXPECT_EQ(to_string(row.value), row.name);
    }
    EXPECT_EQ(reduce_operations().back().value, Op::custom);
    expect_error(ErrorKind::usage, "\"avg\" is not a reduction operation: use sum, product",
                 [] { parse_reduce_op("avg"); });
}

TEST(Determinism, IsFoundByItsName) {
    for (const char* name : {"run_to_run", "any", "pinned"}) {
        EXPECT_EQ(to_string(parse_determinism(name)), name);
    }
    expect_error(ErrorKind::usage, "use run_to_run, any or pinned",
                 [] { parse_determinism("never"); });
}

}  // namespace
}  // namespace jitune::internal
