// SPDX-License-Identifier: Apache-2.0
// Candidates that harm their context, the GPU or each other.

#include "attack/zoo_fixture.hpp"

namespace jitune::internal {
namespace {

class ZooGpu : public ZooFixture {};

TEST_F(ZooGpu, NamesEveryGuiltyCandidateAndNoInnocentOne) {
    options_.hang_limit = std::chrono::milliseconds(6000);
    Engine engine(options_, families());
    Device* device = nullptr;
    try {
        device = &engine.device("cuda");
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    std::vector<std::string> all = names(PlatformKind::cuda, true);
    std::erase(all, "endless_compile");
    expect_named(tune(engine, *device, 2, all), PlatformKind::cuda, 2, all);
}

}  // namespace
}  // namespace jitune::internal
