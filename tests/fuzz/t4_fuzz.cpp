// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <nlohmann/json.hpp>

#include "cli/tune/recorded_results.hpp"
#include "fuzz/fuzz_target.hpp"

using namespace jitune::internal;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    answers_or_refuses([&] {
        const RecordedSpace recorded =
            parse_recorded(std::string(FuzzInput(data, size).rest()), "input.json");
        promise(recorded.best_ns() > 0, "a time is above 0");
    });
    return 0;
}
