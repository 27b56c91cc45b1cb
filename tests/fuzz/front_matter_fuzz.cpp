// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "fuzz/fuzz_target.hpp"
#include "template/front_matter.hpp"

using namespace jitune::internal;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(FuzzInput(data, size).rest());
    answers_or_refuses([&] { parse_front_matter({"input.cu", text, {{"input.toml", text}}}); });
    answers_or_refuses([&] {
        parse_front_matter({"input.cu", "/* jitune template\n" + text + "*/", {}});
    });
    return 0;
}
