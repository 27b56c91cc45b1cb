// SPDX-License-Identifier: Apache-2.0
#include "c/convert.hpp"

#include <string>

#include "families/reduce/reduce_types.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

TEST(CConvert, FillsInTheUsualResultOfEachOperation) {
    for (int type = JITUNE_INT8; type <= JITUNE_FLOAT64; ++type) {
        for (int op = JITUNE_SUM; op < JITUNE_CUSTOM; ++op) {
            const jitune_reduction made = jitune_reduction_of(static_cast<jitune_type>(type),
                                                              static_cast<jitune_reduce_op>(op), 9);
            const auto results =
                results_of(static_cast<ElementType>(type), static_cast<ReduceOp>(op));
            EXPECT_EQ(static_cast<int>(made.result), static_cast<int>(results.front()));
            EXPECT_EQ(made.element, type);
            EXPECT_EQ(made.op, op);
            EXPECT_EQ(made.inner, 9);
            EXPECT_EQ(made.shape, JITUNE_WHOLE);
            EXPECT_EQ(made.configuration, nullptr);
        }
    }
    EXPECT_EQ(jitune_reduction_of(JITUNE_UINT8, JITUNE_MEAN, 1).result, JITUNE_FLOAT64);
    EXPECT_EQ(jitune_reduction_of(JITUNE_FLOAT16, JITUNE_ANY, 1).result, JITUNE_UINT8);
    EXPECT_EQ(jitune_reduction_of(static_cast<jitune_type>(77), JITUNE_SUM, 1).element, 77)
        << "the call with it says what is wrong";
}

TEST(CConvert, RefusesValuesOutsideOfTheirEnumerations) {
    const auto refuse = [](const char* type, auto change) {
        jitune_reduction reduction = jitune_reduction_of(JITUNE_FLOAT32, JITUNE_SUM, 1);
        change(reduction);
        expect_error(ErrorKind::usage, type, [&] { ReduceInput("call", &reduction); });
    };
    refuse("300 is no jitune_type: give 0 to 11",
           [](auto& one) { one.element = static_cast<jitune_type>(300); });
    refuse("-1 is no jitune_type", [](auto& one) { one.result = static_cast<jitune_type>(-1); });
    refuse("15 is no jitune_reduce_op",
           [](auto& one) { one.op = static_cast<jitune_reduce_op>(15); });
    refuse("jitune_determinism",
           [](auto& one) { one.determinism = static_cast<jitune_determinism>(3); });
    refuse("jitune_reduce_shape",
           [](auto& one) { one.shape = static_cast<jitune_reduce_shape>(4); });
    refuse("jitune_reduction.custom is null", [](auto& one) { one.op = JITUNE_CUSTOM; });
    expect_error(ErrorKind::usage, "call: reduction is null", [] { ReduceInput("call", nullptr); });
    const jitune_stencil stencil{JITUNE_FLOAT32, 9, 1, nullptr, 0, static_cast<jitune_boundary>(9)};
    expect_error(ErrorKind::usage, "jitune_boundary", [&] { stencil_request("call", &stencil); });
    expect_error(ErrorKind::usage, "entropy is null", [] { entropy_request("call", nullptr); });
}

TEST(CConvert, ReadsNoWeightsOfAnInvalidRadius) {
    const double weight = 1;
    for (const int radius : {-1, 0, 33, 1 << 30}) {
        const jitune_stencil stencil{JITUNE_FLOAT32, 9, radius, &weight, 0, JITUNE_ZERO};
        EXPECT_EQ(stencil_request("call", &stencil).stencil.radius, radius);
        EXPECT_TRUE(stencil_request("call", &stencil).stencil.weights.empty());
        EXPECT_EQ(jitune_stencil_outputs(&stencil), 0);
    }
    const jitune_stencil valid{JITUNE_FLOAT32, 9, 2, nullptr, 0, JITUNE_VALID};
    EXPECT_EQ(jitune_stencil_outputs(&valid), 5);
    EXPECT_EQ(jitune_stencil_outputs(nullptr), 0);
}

TEST(CConvert, PassesCustomOperationsWhole) {
    const jitune_custom_operation custom{"top",   nullptr, "float",        "0.0f", "x",
                                         "a + b", nullptr, JITUNE_FLOAT64, 0.5};
    jitune_reduction reduction = jitune_reduction_of(JITUNE_FLOAT32, JITUNE_CUSTOM, 4);
    reduction.custom = &custom;
    const ReduceInput input("call", &reduction);
    const CustomOperation& got = *input.request().reduction.custom;
    EXPECT_EQ(got.name, "top");
    EXPECT_EQ(got.definitions, "");
    EXPECT_EQ(got.identity, "0.0f");
    EXPECT_EQ(got.finish, "a");
    EXPECT_EQ(got.result, ElementType::float64);
    EXPECT_EQ(got.tolerance, 0.5);
    jitune_custom_operation nameless = custom;
    nameless.map = nullptr;
    reduction.custom = &nameless;
    expect_error(ErrorKind::usage, "jitune_custom_operation.map is null",
                 [&] { ReduceInput("call", &reduction); });
}

TEST(CConvert, PassesScalarsInTheirLowBytes) {
    const jitune_argument arguments[]{jitune_integer(JITUNE_INT8, -1),
                                      jitune_integer(JITUNE_INT64, -2), jitune_float(1.5F),
                                      jitune_double(-2.5), jitune_array(JITUNE_FLOAT16, arguments)};
    const auto got = kernel_arguments("call", arguments, 5);
    EXPECT_EQ(got[0].bits(), 0xffU) << "no byte of the union behind the value";
    EXPECT_EQ(static_cast<std::int64_t>(got[1].bits()), -2);
    EXPECT_EQ(got[2].bits(), KernelArgument(1.5F).bits());
    EXPECT_EQ(got[3].bits(), KernelArgument(-2.5).bits());
    EXPECT_EQ(got[4].kind(), KernelArgument::Kind::pointer);
    EXPECT_EQ(got[4].type(), ElementType::float16);
    EXPECT_EQ(got[4].bits(), reinterpret_cast<std::uintptr_t>(arguments));
    EXPECT_TRUE(kernel_arguments("call", nullptr, 0).empty());
    expect_error(ErrorKind::usage, "call: arguments is null",
                 [] { kernel_arguments("call", nullptr, 1); });
    jitune_argument odd = arguments[0];
    odd.kind = static_cast<jitune_argument_kind>(5);
    expect_error(ErrorKind::usage, "jitune_argument_kind",
                 [&] { kernel_arguments("call", &odd, 1); });
}

TEST(CConvert, PassesSizesByNameOrPosition) {
    const jitune_size sizes[]{{nullptr, 5}, {"m", 7}};
    const auto got = kernel_sizes("call", sizes, 2);
    EXPECT_EQ(got[0].name, "");
    EXPECT_EQ(got[0].value, 5);
    EXPECT_EQ(got[1].name, "m");
    EXPECT_EQ(got[1].value, 7);
    expect_error(ErrorKind::usage, "call: sizes is null", [] { kernel_sizes("call", nullptr, 1); });
}

}  // namespace
}  // namespace jitune::internal
