// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "cli/db/export_file.hpp"
#include "fuzz/fuzz_target.hpp"

using namespace jitune::internal;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    answers_or_refuses([&] {
        for (const Measurement& one :
             parse_export(std::string(FuzzInput(data, size).rest()), "input.json")) {
            promise(one.key.alignment > 0, "a key names a problem");
        }
    });
    return 0;
}
