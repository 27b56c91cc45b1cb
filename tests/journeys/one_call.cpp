// SPDX-License-Identifier: Apache-2.0
// one_call PLACE N [ask]: a program that sums N numbers once and ends, as README's first one. PLACE
// is host or cuda. Prints what the call met, as a line of JSON. With `ask` it prepares the same sum
// afterwards, to see what answers. Ends with 1 where the sum is wrong, and with 3 after an Error of
// jitune.
#include "place.hpp"

int main(int count, char** words) {
    if (count < 3) {
        std::fprintf(stderr, "usage: one_call PLACE N [ask]\n");
        return 2;
    }
    try {
        const bool on_gpu = journeys::is_gpu(words[1]);
        const std::int64_t n = std::atoll(words[2]);
        const journeys::Array<float> values(on_gpu,
                                            std::vector<float>(static_cast<std::size_t>(n), 0.5F));
        const auto start = std::chrono::steady_clock::now();
        const float sum = values.reduce(jitune::ReduceOp::sum);
        const double wait = journeys::seconds_since(start);
        const char* origin = "";
        if (count > 3) {
            const auto handle =
                jitune::prepare_reduce<float>(n, jitune::ReduceOp::sum, on_gpu ? "cuda:0" : "host");
            origin = jitune::to_string(handle.info().origin);
        }
        const jitune::Counters counters = jitune::Session::standard().counters();
        std::printf(
            "{\"sum\": %.9g, \"wait\": %.4f, \"origin\": \"%s\", \"tunings\": %lld, \"compiles\": "
            "%lld, \"loads\": %lld, "
            "\"pending\": %lld, \"store_errors\": %lld}\n",
            static_cast<double>(sum), wait, origin, static_cast<long long>(counters.tunings),
            static_cast<long long>(counters.compiles), static_cast<long long>(counters.loads),
            static_cast<long long>(counters.pending),
            static_cast<long long>(counters.store_errors));
        return sum == 0.5F * static_cast<float>(n) ? 0 : 1;
    } catch (const jitune::Error& error) {
        std::fprintf(stderr, "one_call: %s\n", error.what());
        return 3;
    }
}
