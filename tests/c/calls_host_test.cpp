// SPDX-License-Identifier: Apache-2.0
// The C interface on the CPU.
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "jitune/jitune.h"

namespace jitune::internal {
namespace {

class CCallsHost : public testing::Test {
protected:
    CCallsHost() {
        jitune_options* options = nullptr;
        EXPECT_EQ(jitune_options_create(&options), JITUNE_OK);
        for (const auto& [name, value] :
             {std::pair{"database", "none"}, {"on_miss", "default"}, {"worker", "none"}}) {
            EXPECT_EQ(jitune_options_set(options, name, value), JITUNE_OK);
        }
        EXPECT_EQ(jitune_session_create(options, &session_), JITUNE_OK) << jitune_last_message();
        jitune_options_destroy(options);
        std::iota(values_.begin(), values_.end(), 0.0F);
    }
    ~CCallsHost() override { jitune_session_destroy(session_); }

    void expect_ok(jitune_status status) { EXPECT_EQ(status, JITUNE_OK) << jitune_last_message(); }
    /// The message.
    std::string expect_usage(jitune_status status) {
        EXPECT_EQ(status, JITUNE_ERROR_USAGE);
        return jitune_last_message();
    }

    jitune_session* session_ = nullptr;
    std::vector<float> values_ = std::vector<float>(6000);
};

TEST_F(CCallsHost, ReducesAllToTheUsualResult) {
    const auto reduce = [&](jitune_reduce_op op, void* out) {
        const jitune_reduction reduction = jitune_reduction_of(JITUNE_FLOAT32, op, 6000);
        expect_ok(jitune_reduce_host(session_, &reduction, values_.data(), nullptr, out));
    };
    float sum = 0;
    std::int64_t place = -1;
    std::uint8_t all = 7;
    reduce(JITUNE_SUM, &sum);
    reduce(JITUNE_ARG_MAX, &place);
    reduce(JITUNE_ALL, &all);
    EXPECT_NEAR(sum, 17'997'000, 20);
    EXPECT_EQ(place, 5999);
    EXPECT_EQ(all, 0);
}

TEST_F(CCallsHost, ReducesToTheElementsOwn16Bits) {
    const std::vector<std::uint16_t> ones(6000, 0x3c00);
    jitune_reduction reduction = jitune_reduction_of(JITUNE_FLOAT16, JITUNE_MEAN, 6000);
    EXPECT_EQ(reduction.result, JITUNE_FLOAT32);
    reduction.result = JITUNE_FLOAT16;
    std::array<std::uint16_t, 2> out{0, 0x1234};
    expect_ok(jitune_reduce_host(session_, &reduction, ones.data(), nullptr, out.data()));
    EXPECT_EQ(out[0], 0x3c00);
    EXPECT_EQ(out[1], 0x1234);
    reduction.result = JITUNE_BFLOAT16;
    EXPECT_NE(expect_usage(jitune_reduce_host(session_, &reduction, ones.data(), nullptr, &out))
                  .find("float32 or float64 or float16, not bfloat16"),
              std::string::npos);
}

TEST_F(CCallsHost, KnownCallsDoNothingBeforeTheFirst) {
    const jitune_reduction sum = jitune_reduction_of(JITUNE_FLOAT32, JITUNE_SUM, 6000);
    float out = -1;
    const auto known = [&](const jitune_reduction* reduction, const void* in) {
        return jitune_reduce_host_known(session_, reduction, in, nullptr, &out);
    };
    EXPECT_EQ(known(&sum, values_.data()), 0);
    EXPECT_EQ(out, -1);
    expect_ok(jitune_reduce_host(session_, &sum, values_.data(), nullptr, &out));
    out = -1;
    EXPECT_EQ(known(&sum, values_.data()), 1);
    EXPECT_NEAR(out, 17'997'000, 20);
    out = -1;
    EXPECT_EQ(known(&sum, nullptr), 0);
    EXPECT_EQ(known(nullptr, values_.data()), 0);
    std::int64_t offsets[] = {0, 6000};
    EXPECT_EQ(jitune_reduce_host_known(session_, &sum, values_.data(), offsets, &out), 0);
    EXPECT_EQ(offsets[0], 0);
    std::thread([&] { EXPECT_EQ(known(&sum, values_.data()), 0); }).join();
    EXPECT_EQ(out, -1);
}

TEST_F(CCallsHost, ReducesRowsColumnsAndSegments) {
    jitune_reduction max = jitune_reduction_of(JITUNE_FLOAT32, JITUNE_MAX, 20);
    max.outer = 300;
    max.shape = JITUNE_ROWS;
    std::vector<float> rows(300), columns(20), segments(3);
    expect_ok(jitune_reduce_host(session_, &max, values_.data(), nullptr, rows.data()));
    EXPECT_EQ(rows[299], 5999);
    EXPECT_EQ(rows[0], 19);
    max.shape = JITUNE_COLUMNS;
    expect_ok(jitune_reduce_host(session_, &max, values_.data(), nullptr, columns.data()));
    EXPECT_EQ(columns[0], 5980);
    max.shape = JITUNE_SEGMENTS;
    max.outer = 3;
    max.inner = 6000;
    const std::array<std::int64_t, 4> offsets{0, 10, 11, 6000};
    expect_ok(jitune_reduce_host(session_, &max, values_.data(), offsets.data(), segments.data()));
    EXPECT_EQ(segments, (std::vector<float>{9, 10, 5999}));
    const std::array<std::int64_t, 4> falling{0, 11, 10, 6000};
    expect_usage(
        jitune_reduce_host(session_, &max, values_.data(), falling.data(), segments.data()));
    EXPECT_NE(
        expect_usage(jitune_reduce_host(session_, &max, values_.data(), nullptr, segments.data()))
            .find("array of offsets"),
        std::string::npos);
}

TEST_F(CCallsHost, RefusesWhatTheLibraryRefuses) {
    jitune_reduction sum = jitune_reduction_of(JITUNE_FLOAT32, JITUNE_SUM, -1);
    float out = 0;
    expect_usage(jitune_reduce_host(session_, &sum, values_.data(), nullptr, &out));
    sum.inner = 10;
    expect_usage(jitune_reduce_host(session_, &sum, nullptr, nullptr, &out));
    expect_usage(jitune_reduce_host(session_, &sum, values_.data(), nullptr, nullptr));
    sum.result = JITUNE_INT8;
    expect_usage(jitune_reduce_host(session_, &sum, values_.data(), nullptr, &out));
    sum.result = JITUNE_FLOAT32;
    sum.determinism = JITUNE_PINNED;
    sum.configuration = "block=3";
    expect_usage(jitune_reduce_host(session_, &sum, values_.data(), nullptr, &out));
}

TEST_F(CCallsHost, RefusesOffsetsOfOtherShapesThanSegments) {
    const std::array<std::int64_t, 2> offsets{7777, 8888};
    jitune_reduction sum = jitune_reduction_of(JITUNE_FLOAT32, JITUNE_SUM, 6000);
    float out = -1;
    expect_usage(jitune_reduce_host(session_, &sum, values_.data(), offsets.data(), &out));
    jitune_prepared* prepared = nullptr;
    expect_ok(jitune_prepare_reduction(session_, &sum, "host", &prepared));
    EXPECT_NE(expect_usage(jitune_launch(prepared, values_.data(), offsets.data(), &out, nullptr))
                  .find("only segments have offsets"),
              std::string::npos);
    jitune_prepared_destroy(prepared);
    EXPECT_EQ(offsets[0], 7777);
    EXPECT_EQ(out, -1);
    sum.shape = JITUNE_SEGMENTS;
    sum.outer = 1;
    const auto* const misaligned =
        reinterpret_cast<const std::int64_t*>(reinterpret_cast<const char*>(offsets.data()) + 1);
    expect_usage(jitune_reduce_host(session_, &sum, values_.data(), misaligned, &out));
}

TEST_F(CCallsHost, RefusesNoRoomForTheResultOfNoElements) {
    const jitune_reduction sum = jitune_reduction_of(JITUNE_FLOAT32, JITUNE_SUM, 0);
    expect_usage(jitune_reduce_host(session_, &sum, nullptr, nullptr, nullptr));
    jitune_reduction columns = jitune_reduction_of(JITUNE_FLOAT32, JITUNE_SUM, 5);
    columns.shape = JITUNE_COLUMNS;
    expect_usage(jitune_reduce_host(session_, &columns, nullptr, nullptr, nullptr));
    float out = -1;
    expect_ok(jitune_reduce_host(session_, &sum, nullptr, nullptr, &out));
    EXPECT_EQ(out, 0);
}

TEST_F(CCallsHost, AppliesStencilsAndEntropies) {
    const std::array weights{0.25, 0.5, 0.25};
    const jitune_stencil stencil{JITUNE_FLOAT32, 6000, 1, weights.data(), 0, JITUNE_CLAMP};
    ASSERT_EQ(jitune_stencil_outputs(&stencil), 6000);
    std::vector<float> out(6000);
    expect_ok(jitune_apply_stencil_host(session_, &stencil, values_.data(), out.data()));
    EXPECT_EQ(out[1], 1);
    EXPECT_EQ(out[0], 0.25F);
    const jitune_entropy entropy = jitune_entropy_of(JITUNE_UINT8, 30, 40);
    std::vector<std::uint8_t> levels(1200);
    levels[0] = 1;
    std::vector<float> entropies(1200, -1);
    expect_ok(jitune_compute_entropy_host(session_, &entropy, levels.data(), entropies.data()));
    EXPECT_EQ(entropies[1199], 0);
    EXPECT_GT(entropies[0], 0);
}

TEST_F(CCallsHost, LaunchesPreparedHandles) {
    const jitune_reduction sum = jitune_reduction_of(JITUNE_FLOAT32, JITUNE_SUM, 6000);
    jitune_prepared* prepared = nullptr;
    expect_ok(jitune_prepare_reduction(session_, &sum, "host", &prepared));
    float out = 0;
    expect_ok(jitune_launch(prepared, values_.data(), nullptr, &out, nullptr));
    EXPECT_NEAR(out, 17'997'000, 20);
    jitune_dispatch_info info{};
    expect_ok(jitune_prepared_info(prepared, &info));
    EXPECT_STREQ(info.device, "host");
    EXPECT_GT(info.waited, 0);
    EXPECT_EQ(info.pending, 0);
    jitune_prepared_destroy(prepared);

    const jitune_stencil stencil{JITUNE_FLOAT32, 6000, 1, nullptr, 0, JITUNE_VALID};
    std::vector<float> sums(5998);
    expect_ok(jitune_prepare_stencil(session_, &stencil, "host", &prepared));
    expect_ok(jitune_launch(prepared, values_.data(), nullptr, sums.data(), nullptr));
    EXPECT_EQ(sums[0], 3);
    const std::int64_t offset = 0;
    EXPECT_NE(expect_usage(jitune_launch(prepared, values_.data(), &offset, sums.data(), nullptr))
                  .find("only segments have offsets"),
              std::string::npos);
    jitune_prepared_destroy(prepared);
    expect_usage(jitune_prepare_stencil(session_, &stencil, "nowhere", &prepared));
    expect_usage(jitune_launch(nullptr, values_.data(), nullptr, &out, nullptr));
    jitune_prepared_destroy(nullptr);
}

TEST_F(CCallsHost, CallsAKernelOfOnesOwn) {
    const std::string file = std::string(JITUNE_EXAMPLES_DIR) + "/matmul.host.cpp";
    const jitune_kernel_type type{"element", "float64"};
    jitune_kernel* kernel = nullptr;
    expect_ok(jitune_kernel_create(session_, file.c_str(), &type, 1, &kernel));
    const std::array<double, 4> a{1, 2, 3, 4};
    const std::array<double, 4> b{1, 0, 0, 2};
    std::array<double, 4> c{};
    const std::array<jitune_size, 3> sizes{{{nullptr, 2}, {nullptr, 2}, {"k", 2}}};
    const std::array arguments{jitune_array(JITUNE_FLOAT64, a.data()),
                               jitune_array(JITUNE_FLOAT64, b.data()),
                               jitune_array(JITUNE_FLOAT64, c.data())};
    expect_ok(jitune_kernel_launch(kernel, sizes.data(), 3, arguments.data(), 3, nullptr));
    EXPECT_EQ(c, (std::array<double, 4>{1, 4, 3, 8}));
    std::array<jitune_parameter, 2> parameters{};
    std::size_t count = 0;
    const auto parameters_of = [&](const jitune_size* of, std::size_t capacity) {
        return jitune_kernel_parameters(kernel, of, 3, parameters.data(), capacity, &count);
    };
    expect_ok(parameters_of(sizes.data(), 2));
    EXPECT_EQ(count, 3U);
    EXPECT_EQ(parameters[1].count, 4);
    EXPECT_EQ(parameters[1].is_written, 0);
    expect_ok(parameters_of(sizes.data(), 0));
    const std::array<jitune_size, 3> huge{{{"m", 1LL << 40}, {"n", 1LL << 40}, {"k", 1}}};
    EXPECT_NE(expect_usage(parameters_of(huge.data(), 2)).find("argument c cannot have"),
              std::string::npos);
    const std::array<jitune_size, 3> none{{{"m", 0}, {"n", 1}, {"k", -1}}};
    expect_usage(parameters_of(none.data(), 2));
    expect_usage(parameters_of(nullptr, 2));
    expect_usage(jitune_kernel_parameters(kernel, sizes.data(), 3, nullptr, 2, &count));
    expect_usage(jitune_kernel_parameters(kernel, sizes.data(), 3, parameters.data(), 2, nullptr));
    expect_usage(jitune_kernel_parameters(nullptr, sizes.data(), 3, parameters.data(), 2, &count));
    EXPECT_EQ(jitune_kernel_is_host(kernel), 1);
    EXPECT_EQ(jitune_kernel_is_host(nullptr), 0);
    jitune_prepared* prepared = nullptr;
    expect_ok(jitune_kernel_prepare(kernel, sizes.data(), 3, &prepared));
    jitune_kernel_destroy(kernel);
    c = {};
    expect_ok(jitune_launch_kernel(prepared, arguments.data(), 3, nullptr));
    EXPECT_EQ(c[3], 8);
    EXPECT_NE(expect_usage(jitune_launch(prepared, a.data(), nullptr, c.data(), nullptr))
                  .find("call jitune_launch_kernel"),
              std::string::npos);
    expect_usage(jitune_launch_kernel(prepared, arguments.data(), 2, nullptr));
    jitune_prepared_destroy(prepared);
    EXPECT_NE(expect_usage(jitune_kernel_create(session_, "/no/such.cu", nullptr, 0, &kernel))
                  .find("/no/such.cu"),
              std::string::npos);
}

}  // namespace
}  // namespace jitune::internal
