// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <tuple>

namespace jitune::bench {

/// Counts the reductions of a program, and prints them as a trace for worklist_gain.
class ReductionLog {
public:
    explicit ReductionLog(const char* program) : program_(program) {}

    /// A reduction of `n` elements to one value.
    void all(std::size_t n, const char* type, const char* op) { ++calls_[{n, type, op}]; }

    void print() const {
        std::printf("{\n \"program\": \"%s\",\n \"calls\": [", program_);
        const char* joint = "\n";
        for (const auto& [key, calls] : calls_) {
            const auto& [n, type, op] = key;
            std::printf(
                "%s  {\"shape\": \"all\", \"sizes\": [%zu], \"type\": \"%s\", \"op\": \"%s\", "
                "\"calls\": %zu}",
                joint, n, type.c_str(), op.c_str(), calls);
            joint = ",\n";
        }
        std::printf("\n ]\n}\n");
    }

private:
    const char* program_;
    std::map<std::tuple<std::size_t, std::string, std::string>, std::size_t> calls_;
};

}  // namespace jitune::bench
