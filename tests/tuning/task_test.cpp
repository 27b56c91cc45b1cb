// SPDX-License-Identifier: Apache-2.0
#include "tuning/task.hpp"

#include "fake/fake_sum.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

class TaskTest : public testing::Test {
protected:
    FakeDevice device_;
    Kernel kernel_ = fake_sum_kernel();
    Task task_{device_, kernel_, fake_sum_problem(1000)};
};

TEST_F(TaskTest, NamesKernelSizesAndDevice) {
    EXPECT_EQ(task_.sizes(), "n=1000");
    EXPECT_TRUE(task_.name().starts_with("sum ")) << task_.name();
    EXPECT_TRUE(task_.name().ends_with(" n=1000 on " + device_.info().id)) << task_.name();
}

TEST_F(TaskTest, HasTheKeyOfItsDeviceClassAndTemplate) {
    const RecordKey key = task_.key();
    EXPECT_EQ(key.kernel, "sum");
    EXPECT_EQ(key.device_class, device_.info().device_class);
    EXPECT_EQ(key.template_hash, kernel_.kernel_template.hash());
    EXPECT_EQ(key.bucket, size_bucket(task_.problem.sizes));
}

TEST_F(TaskTest, BeginsWithTheDefaultConfigurationOfItsSpace) {
    EXPECT_EQ(task_.default_configuration().text(), kFakeDefault);
    EXPECT_LT(task_.space().find(task_.default_configuration()), task_.space().size());
}

TEST_F(TaskTest, ParsesConfigurationsOfItsTemplateOnly) {
    EXPECT_EQ(task_.parse("block=32 items=4").text(), "block=32 items=4");
    expect_error(ErrorKind::usage, "", [&] { static_cast<void>(task_.parse("warps=4")); });
}

}  // namespace
}  // namespace jitune::internal
