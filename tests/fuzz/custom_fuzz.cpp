// SPDX-License-Identifier: Apache-2.0
#include "cli/families/custom_file.hpp"
#include "fuzz/fuzz_target.hpp"

using namespace jitune::internal;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    answers_or_refuses([&] { parse_custom(FuzzInput(data, size).rest(), "input.toml"); });
    return 0;
}
