// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/launch/service_kernel.hpp"

#include <gtest/gtest.h>

#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

TEST(ServiceKernel, CompilesForEveryArchitectureFromTuringToBlackwell) {
    std::shared_ptr<const NvrtcTable> nvrtc;
    try {
        nvrtc = load_nvrtc();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    for (const int cc : {75, 80, 86, 89, 90, 100, 120}) {
        ServiceCode code(std::make_shared<CudaCompiler>([&] { return nvrtc; }), cc);
        for (const char* name : {"checksum_regions", "compare_bytes", "read_flush"}) {
            const Binary binary = code.binary(name);
            EXPECT_EQ(binary.format, "cubin") << name << ' ' << cc;
            EXPECT_NE(binary.symbols.at(0).find(name), std::string::npos) << binary.symbols[0];
        }
    }
}

}  // namespace
}  // namespace jitune::internal
