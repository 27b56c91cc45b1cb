// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/cuda_replay.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(CudaReplays, ACallThatWasNotNotedIsNotRefusedEither) {
    const GroupKey key{1, 2, 3};
    CudaReplays replays;
    replays.put(key, nullptr);  // as after is_due() without memory
    EXPECT_FALSE(replays.is_due(key));
    EXPECT_TRUE(replays.is_due(key));
    replays.put(key, nullptr);
    EXPECT_FALSE(replays.is_due(key));
}

}  // namespace
}  // namespace jitune::internal
