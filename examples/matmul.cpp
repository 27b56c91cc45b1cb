// SPDX-License-Identifier: Apache-2.0
// matmul FILE: c = a * b with the kernel template of that file, tuned when it is first called.
#include <jitune/tuned_kernel.hpp>

#include <cstdio>
#include <exception>
#include <vector>

int main(int argc, char** argv) try {
    const jitune::TunedKernel multiply(argc > 1 ? argv[1] : "matmul.host.cpp",
                                       {{"element", "float32"}});
    const long m = 300, n = 200, k = 100;
    const std::vector<float> a(m * k, 1.0f), b(k * n, 0.5f);
    std::vector<float> c(m * n);
    multiply.launch({m, n, k}, {a.data(), b.data(), c.data()});
    std::printf("%g\n", c.front());  // 50
} catch (const std::exception& error) {
    // Such as no file of that name in this folder.
    std::fprintf(stderr, "matmul: %s\n", error.what());
    return 1;
}
