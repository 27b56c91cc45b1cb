// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/sample_functions.hpp"

#include <cstring>
#include <exception>
#include <vector>

#include <sqlite3.h>

#include "measure/statistics.hpp"

namespace jitune::internal {

namespace {

using Part = double Summary::*;

template <Part kPart>
void summarize_blob(sqlite3_context* context, int /*count*/, sqlite3_value** arguments) {
    const auto bytes = static_cast<std::size_t>(sqlite3_value_bytes(arguments[0]));
    const void* const data = sqlite3_value_blob(arguments[0]);
    try {
        std::vector<double> samples(data == nullptr ? 0 : bytes / sizeof(double));
        if (!samples.empty()) {
            std::memcpy(samples.data(), data, samples.size() * sizeof(double));
        }
        sqlite3_result_double(context, summarize(samples).*kPart);
    } catch (const std::exception&) {  // damaged samples have no summary
        sqlite3_result_null(context);
    }
}

}  // namespace

void add_sample_functions(sqlite::Connection& connection) {
    constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    const auto add = [&](const char* name, auto* function) {
        sqlite::check(connection.handle(), name,
                      sqlite3_create_function_v2(connection.handle(), name, 1, kFlags, nullptr,
                                                 function, nullptr, nullptr, nullptr));
    };
    add("jitune_median_ns", &summarize_blob<&Summary::median_ns>);
    add("jitune_noise", &summarize_blob<&Summary::noise>);
}

}  // namespace jitune::internal
