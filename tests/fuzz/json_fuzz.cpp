// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "cli/formats/json_file.hpp"
#include "fuzz/fuzz_target.hpp"

using namespace jitune::internal;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    answers_or_refuses([&] {
        const Json document = parse_json(std::string(FuzzInput(data, size).rest()), "input.json");
        promise(parse_json(json_text(document), "input.json") == document,
                "a document is read as it was written");
    });
    return 0;
}
