// SPDX-License-Identifier: Apache-2.0
// The C interface over a fake driver of CUDA.
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "c/handles.hpp"
#include "fixtures/reduce_cuda_app.hpp"

namespace jitune::internal {
namespace {

using reduce_cuda::App;
using reduce_cuda::kCount;
using reduce_cuda::options_for;
using reduce_cuda::Value;

class CCallsCuda : public testing::Test {
protected:
    ~CCallsCuda() override { static_cast<void>(session_.session.release()); }

    App app_{options_for(TunePolicy::template_default)};
    jitune_session session_{std::unique_ptr<Session>(&app_.session())};
    jitune_reduction sum_ =
        jitune_reduction_of(JITUNE_INT32, JITUNE_SUM, static_cast<std::int64_t>(kCount));
};

TEST_F(CCallsCuda, ReducesOnTheStream) {
    Value result = -1;
    ASSERT_EQ(jitune_reduce(&session_, &sum_, app_.values(), nullptr, &result, app_.stream()),
              JITUNE_OK)
        << jitune_last_message();
    EXPECT_EQ(result, app_.right());
    EXPECT_EQ(app_.fake.launches().back().stream, app_.stream());
}

TEST_F(CCallsCuda, KnownCallsDoNothingBeforeTheFirst) {
    Value result = -1;
    const auto known = [&] {
        return jitune_reduce_known(&session_, &sum_, app_.values(), nullptr, &result,
                                   app_.stream());
    };
    EXPECT_EQ(known(), 0);
    EXPECT_EQ(result, -1);
    ASSERT_EQ(jitune_reduce(&session_, &sum_, app_.values(), nullptr, &result, app_.stream()),
              JITUNE_OK);
    result = -1;
    EXPECT_EQ(known(), 1);
    EXPECT_EQ(result, app_.right());
}

TEST_F(CCallsCuda, WaitsForOneResult) {
    Value result = -1;
    ASSERT_EQ(jitune_reduce_wait(&session_, &sum_, app_.values(), &result, nullptr), JITUNE_OK)
        << jitune_last_message();
    EXPECT_EQ(result, app_.right());
    sum_.shape = JITUNE_ROWS;
    EXPECT_EQ(jitune_reduce_wait(&session_, &sum_, app_.values(), &result, nullptr),
              JITUNE_ERROR_USAGE);
    EXPECT_NE(std::string(jitune_last_message()).find("call jitune_reduce"), std::string::npos);
    sum_.shape = JITUNE_WHOLE;
    EXPECT_EQ(jitune_reduce_wait(&session_, &sum_, app_.values(), nullptr, nullptr),
              JITUNE_ERROR_USAGE);
}

TEST_F(CCallsCuda, LaunchesAPreparedHandleInACapture) {
    jitune_prepared* prepared = nullptr;
    ASSERT_EQ(jitune_prepare_reduction(&session_, &sum_, nullptr, &prepared), JITUNE_OK)
        << jitune_last_message();
    jitune_dispatch_info info{};
    ASSERT_EQ(jitune_prepared_info(prepared, &info), JITUNE_OK);
    EXPECT_STREQ(info.origin, "rule");
    EXPECT_STREQ(info.device, "cuda:0");
    EXPECT_NE(std::string(info.configuration).find("block="), std::string::npos);
    Value result = -1;
    app_.fake.begin_capture(app_.stream());
    EXPECT_EQ(jitune_reduce(&session_, &sum_, app_.values(), nullptr, &result, app_.stream()),
              JITUNE_ERROR_NOT_PREPARED);
    EXPECT_EQ(jitune_launch(prepared, app_.values(), nullptr, &result, app_.stream()), JITUNE_OK);
    EXPECT_TRUE(app_.fake.end_capture(app_.stream()));
    EXPECT_FALSE(app_.fake.captured().empty());
    ASSERT_EQ(jitune_launch(prepared, app_.values(), nullptr, &result, app_.stream()), JITUNE_OK);
    EXPECT_EQ(result, app_.right());
    EXPECT_EQ(jitune_launch_kernel(prepared, nullptr, 0, nullptr), JITUNE_ERROR_USAGE);
    jitune_prepared_destroy(prepared);
}

TEST_F(CCallsCuda, GivesTheDriversCode) {
    app_.fake.fail("cuLaunchKernelEx", 1, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    Value result = -1;
    EXPECT_EQ(jitune_reduce(&session_, &sum_, app_.values(), nullptr, &result, app_.stream()),
              JITUNE_ERROR_DEVICE);
    EXPECT_EQ(jitune_last_native_code().source, JITUNE_NATIVE_CUDA);
    EXPECT_EQ(jitune_last_native_code().value, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
}

}  // namespace
}  // namespace jitune::internal
