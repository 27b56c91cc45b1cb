// SPDX-License-Identifier: Apache-2.0
#include "spread/host_pipeline.hpp"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(StreamingCopy, CopiesEveryByteAndNoOther) {
    std::vector<unsigned char> source(300);
    std::iota(source.begin(), source.end(), static_cast<unsigned char>(1));
    for (std::size_t bytes = 0; bytes < 140; ++bytes) {
        for (std::size_t offset = 0; offset < 17; ++offset) {
            std::vector<unsigned char> target(200, 0);
            std::vector<unsigned char> expected = target;
            streaming_copy(target.data() + offset, source.data() + offset / 2, bytes);
            std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(offset / 2), bytes,
                        expected.begin() + static_cast<std::ptrdiff_t>(offset));
            ASSERT_EQ(target, expected) << bytes << " bytes at " << offset;
        }
    }
}

}  // namespace
}  // namespace jitune::internal
