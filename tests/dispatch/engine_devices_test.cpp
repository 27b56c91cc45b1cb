// SPDX-License-Identifier: Apache-2.0
#include "fixtures/engine_fixture.hpp"

namespace jitune::internal {
namespace {

using EngineDevices = EngineFixture;

TEST_F(EngineDevices, FindsDevicesByTheirIds) {
    FakeDevice second("cuda:1");
    const auto engine = make_engine_on({&device_, &second});
    EXPECT_EQ(&engine->device("cuda"), &device_);
    EXPECT_EQ(&engine->device("cuda:0"), &device_);
    EXPECT_EQ(&engine->device("cuda:1"), &second);
    EXPECT_EQ(&engine->first_device(), &device_);
    for (const char* id : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda: 1",
                           "cuda:99999999999", "auto"}) {
        expect_error(ErrorKind::usage, "use host, cuda or cuda:N", [&] { engine->device(id); });
    }
    expect_error(ErrorKind::unavailable, "no device cuda:2: there are 2",
                 [&] { engine->device("cuda:2"); });
    expect_error(ErrorKind::unavailable, "no host backend", [&] { engine->device("host"); });
}

TEST_F(EngineDevices, SaysWhyADeviceIsMissing) {
    const auto engine = make_engine_on({});
    expect_error(ErrorKind::unavailable, "no cuda device: no fake device was made",
                 [&] { engine->device("cuda:0"); });
    expect_error(ErrorKind::unavailable,
                 "data in host memory need the device \"host\", formulas over them on_host(...)",
                 [&] { engine->cuda(); });
    expect_error(ErrorKind::unavailable, "no device found", [&] { engine->first_device(); });
    const auto devices = engine->devices();
    ASSERT_EQ(devices.size(), 1U);
    EXPECT_EQ(devices[0].id, "cuda");
    EXPECT_EQ(devices[0].missing, "no fake device was made");
}

}  // namespace
}  // namespace jitune::internal
