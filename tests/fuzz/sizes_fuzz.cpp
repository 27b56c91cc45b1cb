// SPDX-License-Identifier: Apache-2.0
#include "cli/families/sizes.hpp"
#include "fuzz/fuzz_target.hpp"
#include "text/units.hpp"

using namespace jitune::internal;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = FuzzInput(data, size).rest();
    answers_or_refuses([&] {
        for (const auto& [first, last] : parse_sizes(text)) {
            promise(first >= 1 && first <= last && last <= kMaxSize, "a size is from 1 to 2^40");
            promise(parse_size(size_text(first)) == first, "a size's text is read as that size");
        }
    });
    answers_or_refuses([&] { parse_size_pairs(text); });
    answers_or_refuses([&] { parse_size_pair(text); });
    answers_or_refuses([&] { parse_seed(text); });
    return 0;
}
