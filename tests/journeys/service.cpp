// SPDX-License-Identifier: Apache-2.0
// service PLACE PROBLEMS SECONDS PAUSE [COLUMNS]: a service that starts cold. It answers PROBLEMS
// different requests, and then all of them again and again, with PAUSE seconds of rest after each
// round, until nothing waits for a tuning or SECONDS are over. Where SECONDS is 0, it ends after
// the first round. PLACE is host or cuda. With COLUMNS, requests are sums of the columns of random
// matrices of 64 to COLUMNS rows and columns, whose rows are whole packs of 16 bytes.
//
// Prints a line of JSON: how long the first calls took, how long a call of the second and of the
// last round took, when the first and the last problem was tuned (-1: never), wrong results, and
// counters. Ends with 1 where a result is wrong, and with 3 after an Error of jitune.
#include "place.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>

namespace {

using jitune::ReduceOp;
using journeys::Array;

/// A request: its name, and a call that says whether the result was right.
struct Request {
    std::string name;
    std::function<bool()> call;
};

/// Whole numbers, so that sums are exact in every type and order.
template <class T>
std::vector<T> numbers(std::size_t count) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<T>((i * 7 + i / 11) % 5);
    }
    return values;
}

template <class T>
Request flat(bool on_gpu, ReduceOp op, std::size_t n) {
    const Array<T> values(on_gpu, numbers<T>(n));
    const std::vector<T>& host = values.host();
    const T wanted = op == ReduceOp::max   ? *std::max_element(host.begin(), host.end())
                     : op == ReduceOp::min ? *std::min_element(host.begin(), host.end())
                                           : std::accumulate(host.begin(), host.end(), T{});
    return {std::string(jitune::to_string(op)) + " of " + std::to_string(n),
            [=] { return values.template reduce<T>(op) == wanted; }};
}

/// Sums of the rows or the columns of a matrix.
template <class T>
Request shaped(bool on_gpu, bool by_rows, std::int64_t rows, std::int64_t columns) {
    const Array<T> values(on_gpu, numbers<T>(static_cast<std::size_t>(rows * columns)));
    std::vector<T> wanted(static_cast<std::size_t>(by_rows ? rows : columns));
    for (std::int64_t i = 0; i < rows * columns; ++i) {
        wanted[static_cast<std::size_t>(by_rows ? i / columns : i % columns)] +=
            values.host()[static_cast<std::size_t>(i)];
    }
    T* results = on_gpu ? journeys::Gpu::first().allocate<T>(wanted.size()) : nullptr;
    const auto call = [=] {
        std::vector<T> got(wanted.size());
        if (!on_gpu) {
            got = by_rows ? jitune::tuned_reduce_rows(values.host(), rows, columns)
                          : jitune::tuned_reduce_columns(values.host(), rows, columns);
        } else {
            if (by_rows) {
                jitune::tuned_reduce_rows(values.gpu(), rows, columns, results);
            } else {
                jitune::tuned_reduce_columns(values.gpu(), rows, columns, results);
            }
            journeys::Gpu::first().to_host(got.data(), results, got.size() * sizeof(T));
        }
        return got == wanted;
    };
    return {(by_rows ? "rows of " : "columns of ") + std::to_string(rows) + " x " +
                std::to_string(columns),
            call};
}

/// Of 5000 elements and more; no two of the first 60 are the same problem.
std::vector<Request> requests(bool on_gpu, std::size_t count) {
    std::vector<Request> made;
    for (std::size_t i = 0; made.size() < count; ++i) {
        const std::size_t of_kind = i / 6;
        const auto n =
            static_cast<std::size_t>(5000 * std::exp2(0.9 * static_cast<double>(of_kind % 12)));
        const auto rows = static_cast<std::int64_t>(16) << (of_kind % 5);
        const auto columns = static_cast<std::int64_t>(320) << (of_kind % 4);
        switch (i % 6) {
            case 0:
                made.push_back(flat<float>(on_gpu, ReduceOp::sum, n));
                break;
            case 1:
                made.push_back(flat<double>(on_gpu, ReduceOp::sum, n));
                break;
            case 2:
                made.push_back(flat<std::int32_t>(on_gpu, ReduceOp::max, n));
                break;
            case 3:
                made.push_back(shaped<float>(on_gpu, true, rows, columns));
                break;
            case 4:
                made.push_back(shaped<float>(on_gpu, false, rows, columns));
                break;
            default:
                made.push_back(flat<float>(on_gpu, ReduceOp::min, n));
                break;
        }
    }
    return made;
}

/// Sums of the columns of random matrices, each logarithm of a size alike.
std::vector<Request> columns_requests(bool on_gpu, std::size_t count, double most) {
    constexpr double kLeast = 64;
    std::mt19937_64 random(11);
    std::uniform_real_distribution<> octaves(0, std::log2(most / kLeast));
    std::vector<Request> made;
    while (made.size() < count) {
        const auto rows = static_cast<std::int64_t>(kLeast * std::exp2(octaves(random)));
        const auto columns = static_cast<std::int64_t>(kLeast * std::exp2(octaves(random)));
        made.push_back(shaped<float>(on_gpu, false, rows, columns / 4 * 4));
    }
    return made;
}

struct Report {
    std::vector<std::pair<double, std::string>> first_calls;  ///< milliseconds
    double second_us = 0, last_us = 0;                        ///< a call, on average
    double first_tuned = -1, all_tuned = -1;
    int wrong = 0, rounds = 1;
};

/// Microseconds of a call, on average.
double round_us(const std::vector<Request>& all, Report& report) {
    const auto start = std::chrono::steady_clock::now();
    for (const Request& request : all) {
        report.wrong += request.call() ? 0 : 1;
    }
    ++report.rounds;
    return journeys::seconds_since(start) * 1e6 / static_cast<double>(all.size());
}

Report serve(const std::vector<Request>& all, double seconds, double pause) {
    Report report;
    const auto start = std::chrono::steady_clock::now();
    for (const Request& request : all) {
        const auto begin = std::chrono::steady_clock::now();
        report.wrong += request.call() ? 0 : 1;
        report.first_calls.emplace_back(journeys::seconds_since(begin) * 1e3, request.name);
    }
    while (journeys::seconds_since(start) < seconds && report.all_tuned < 0) {
        report.last_us = round_us(all, report);
        if (report.second_us == 0) {
            report.second_us = report.last_us;
        }
        const jitune::Counters counters = jitune::Session::standard().counters();
        if (report.first_tuned < 0 && counters.replaced > 0) {
            report.first_tuned = journeys::seconds_since(start);
        }
        if (counters.pending == 0) {
            report.all_tuned = journeys::seconds_since(start);
            report.last_us = round_us(all, report);
        }
        std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    }
    return report;
}

void print(Report report) {
    std::sort(report.first_calls.begin(), report.first_calls.end());
    const jitune::Counters counters = jitune::Session::standard().counters();
    std::printf(
        "{\"problems\": %zu, \"wrong\": %d, \"rounds\": %d, \"median_ms\": %.3f, \"longest_ms\": "
        "%.1f, \"longest_of\": "
        "\"%s\", \"second_us\": %.2f, \"last_us\": %.2f, \"first_tuned\": %.1f, \"all_tuned\": "
        "%.1f, \"compiles\": %lld, "
        "\"tunings\": %lld, \"replaced\": %lld, \"pending\": %lld, \"loads\": %lld, \"pauses\": "
        "%lld}\n",
        report.first_calls.size(), report.wrong, report.rounds,
        report.first_calls[report.first_calls.size() / 2].first, report.first_calls.back().first,
        report.first_calls.back().second.c_str(), report.second_us, report.last_us,
        report.first_tuned, report.all_tuned, static_cast<long long>(counters.compiles),
        static_cast<long long>(counters.tunings), static_cast<long long>(counters.replaced),
        static_cast<long long>(counters.pending), static_cast<long long>(counters.loads),
        static_cast<long long>(counters.pauses));
}

}  // namespace

int main(int count, char** words) {
    const auto problems = static_cast<std::size_t>(count < 5 ? 0 : std::atoi(words[2]));
    if (problems < 1 || problems > 100'000 || (count == 6 && std::atof(words[5]) < 65)) {
        std::fprintf(stderr, "usage: service PLACE PROBLEMS SECONDS PAUSE [COLUMNS]\n");
        return 2;
    }
    try {
        const bool on_gpu = journeys::is_gpu(words[1]);
        const std::vector<Request> all =
            count == 6 ? columns_requests(on_gpu, problems, std::atof(words[5]))
                       : requests(on_gpu, problems);
        const Report report = serve(all, std::atof(words[3]), std::atof(words[4]));
        print(report);
        return report.wrong == 0 ? 0 : 1;
    } catch (const jitune::Error& error) {
        std::fprintf(stderr, "service: %s\n", error.what());
        return 3;
    }
}
