// SPDX-License-Identifier: Apache-2.0
// make_database FILE [MEASUREMENTS | --empty]: a made-up database, for tests of the report in a
// browser and for bench/report_cost.py.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "fixtures/made_table.hpp"

namespace {

using namespace jitune::internal;

/// More types of the first kernels, until there are so many measurements.
void add_more(TuningStore& store, long measurements) {
    constexpr int kCandidates = 110;
    MadeTable table(store, kCandidates);
    const std::vector<MadeKernel> kernels = MadeTable::usual_kernels();
    long made = 0;
    for (int round = 0; made < measurements; ++round) {
        for (MadeKernel kernel : kernels) {
            kernel.types += fmt::format(" round={}", round);
            table.add(kernel);
            made += (kCandidates + 8) * static_cast<long>(kernel.sizes.size());
        }
    }
}

}  // namespace

int main(int count, char** words) {
    if (count < 2) {
        std::fputs("usage: make_database FILE [MEASUREMENTS | --empty]\n", stderr);
        return 2;
    }
    try {
        const Log log(jitune::LogLevel::warning, {});
        const auto store = TuningStore::open(words[1], TuningStore::Access::read_write, log);
        if (count > 2 && std::string(words[2]) == "--empty") {
            return 0;
        }
        MadeTable table(*store);
        for (const MadeKernel& kernel : MadeTable::usual_kernels()) {
            table.add(kernel);
        }
        MadeKernel hostile = MadeTable::usual_kernels().back();
        hostile.kernel = "<img src=x onerror=alert(1)>";
        table.add(hostile);
        add_more(*store, count > 2 ? std::atol(words[2]) : 0);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "make_database: %s\n", error.what());
        return 1;
    }
}
