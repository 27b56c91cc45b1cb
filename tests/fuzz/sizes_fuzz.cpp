// SPDX-License-Identifier: Apache-2.0
#include "cli/sizes.hpp"
#include "fuzz/fuzz_target.hpp"

using namespace jitune::internal;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = FuzzInput(data, size).rest();
    answers_or_refuses([&] {
        for (const std::int64_t one : parse_sizes(text)) {
            promise(one >= 1 && one <= kMaxSize, "a size is from 1 to 2^40");
            promise(parse_size(size_text(one)) == one, "the text of a size is read as that size");
        }
    });
    answers_or_refuses([&] { parse_size_pair(text); });
    answers_or_refuses([&] { parse_seed(text); });
    return 0;
}
