// SPDX-License-Identifier: Apache-2.0
// first_use FORM ELEMENT OUTER INNER BUDGET CALL [REFERENCE]: what the first call of a process gets
// under the policy `now`, with an empty database. first_use.py runs it for many problems and prints
// a table.
//
//     FORM       all (of OUTER * INNER elements), rows or columns (of an OUTER x INNER matrix)
//     ELEMENT    float32, float16, float64 or int32
//     BUDGET     seconds
//     CALL       prepare: the first call is prepare_reduce*(); call: it is tuned_reduce*() on
//     device memory REFERENCE  seconds: another session tunes the problem for so long, and its
//     winner is timed beside the answer;
//                else the configuration of such a winner
//
// Prints one line of JSON: how long the first call waited, its origin and configuration, and in
// microseconds per launch of a chain that finds its data outside of the L2 cache: the answer, the
// default, the reference and CUB (FORM all). `soon` is the answer's time right after the call, when
// a tuning may go on behind it. Ends with 1 where a result is wrong, and with 3 after an Error of
// jitune.
#include <jitune/reduce.hpp>
#include <jitune/reduce_shapes.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <cub/device/device_reduce.cuh>

#include "chains.cuh"

namespace {

using namespace journeys;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class T, class R>
jitune::PreparedReduce<T, R> prepare(const Shape& shape, jitune::Session& session,
                                     const jitune::Reduction& reduction = {}) {
    return shape.form == "rows"
               ? jitune::prepare_reduce_rows<T, R>(shape.outer, shape.inner, reduction, {}, session)
           : shape.form == "columns"
               ? jitune::prepare_reduce_columns<T, R>(shape.outer, shape.inner, reduction, {},
                                                      session)
               : jitune::prepare_reduce<T, R>(shape.elements(), reduction, {}, session);
}

template <class T, class R>
void call(const Shape& shape, const Bench<T, R>& bench, jitune::Session& session) {
    if (shape.form == "rows") {
        jitune::tuned_reduce_rows(bench.values(), shape.outer, shape.inner, bench.results(), {},
                                  bench.stream(), session);
    } else if (shape.form == "columns") {
        jitune::tuned_reduce_columns(bench.values(), shape.outer, shape.inner, bench.results(), {},
                                     bench.stream(), session);
    } else {
        jitune::tuned_reduce(bench.values(), shape.elements(), bench.results(), {}, bench.stream(),
                             session);
    }
    check(cudaStreamSynchronize(bench.stream()), "the first call");
}

/// CUB's sum of the whole array, in the type that jitune accumulates in.
template <class T, class R>
Launch<T, R> cub_sum(std::int64_t n) {
    using Stored = std::conditional_t<std::is_same_v<T, jitune::float16>, __half, T>;
    const auto reduce = [n](void* temp, std::size_t& bytes, const T* values, R* result,
                            cudaStream_t stream) {
        const auto* in = reinterpret_cast<const Stored*>(values);
        const auto count = static_cast<std::uint32_t>(n);  // CUB's fastest index
        if constexpr (std::is_same_v<T, R>) {
            return cub::DeviceReduce::Sum(temp, bytes, in, result, count, stream);
        } else {
            return cub::DeviceReduce::Reduce(temp, bytes, in, result, count, ::cuda::std::plus<R>{},
                                             R(0), stream);
        }
    };
    std::size_t bytes = 0;
    check(reduce(nullptr, bytes, nullptr, nullptr, nullptr), "CUB's work memory");
    void* temp = allocate<unsigned char>(bytes);
    return [=](const T* values, R* result, cudaStream_t stream) {
        std::size_t size = bytes;
        check(reduce(temp, size, values, result, stream), "CUB's sum");
    };
}

template <class T, class R>
Launch<T, R> launch_of(std::shared_ptr<jitune::PreparedReduce<T, R>> handle) {
    return [handle](const T* values, R* results, cudaStream_t stream) {
        (*handle)(values, results, stream);
    };
}

struct Arguments {
    Shape shape;
    double budget = 2;
    bool by_call = false;
    std::string reference;  ///< empty, seconds or a configuration
};

jitune::Options options(jitune::TunePolicy policy, double budget) {
    jitune::Options made = jitune::Options::from_environment();
    made.database.clear();
    made.on_miss = policy;
    made.budget = std::chrono::milliseconds(static_cast<std::int64_t>(budget * 1e3));
    return made;
}

/// What a session that tunes for `seconds` finds.
template <class T, class R>
std::string found_within(double seconds, const Shape& shape) {
    jitune::Session session(options(jitune::TunePolicy::now, seconds));
    return prepare<T, R>(shape, session).info().configuration;
}

/// What the first call met.
struct First {
    double wait = 0;    ///< seconds
    double soon = 0;    ///< microseconds per launch right after the call
    double ending = 0;  ///< seconds that the session's end took
    jitune::DispatchInfo info;
    jitune::Counters counters;
};

template <class T, class R>
First first_call(const Arguments& arguments, const Bench<T, R>& bench) {
    First first;
    auto session =
        std::make_unique<jitune::Session>(options(jitune::TunePolicy::now, arguments.budget));
    const Clock::time_point start = Clock::now();
    if (arguments.by_call) {
        call<T, R>(arguments.shape, bench, *session);
        first.wait = seconds_since(start);
    }
    auto answer =
        std::make_shared<jitune::PreparedReduce<T, R>>(prepare<T, R>(arguments.shape, *session));
    if (!arguments.by_call) {
        first.wait = seconds_since(start);
    }
    first.info = answer->info();
    const cudaGraphExec_t chain = bench.chain(launch_of(answer), "the answer");
    first.soon = bench.time({chain})[0];
    first.counters = session->counters();
    check(cudaGraphExecDestroy(chain), "destroy a graph");
    answer.reset();
    const Clock::time_point end = Clock::now();
    session.reset();
    first.ending = seconds_since(end);
    return first;
}

/// The configuration that `reference` names or asks for; empty where it is empty.
template <class T, class R>
std::string reference_of(const std::string& reference, const Shape& shape) {
    char* rest = nullptr;
    const double seconds = std::strtod(reference.c_str(), &rest);
    return reference.empty() || *rest != '\0' ? reference : found_within<T, R>(seconds, shape);
}

template <class T>
int run(const Arguments& arguments) {
    using R = jitune::ReducedType<T>;
    using Handle = jitune::PreparedReduce<T, R>;
    const Shape& shape = arguments.shape;
    const Bench<T, R> bench(shape);
    const First first = first_call<T, R>(arguments, bench);
    const std::string reference = reference_of<T, R>(arguments.reference, shape);

    jitune::Session fixed(options(jitune::TunePolicy::template_default, 1));
    Contestants<T, R> contestants(bench);
    const auto plain = std::make_shared<Handle>(prepare<T, R>(shape, fixed));
    contestants.add(plain->info().configuration, launch_of(plain));
    const auto place_of = [&](const std::string& configuration) {
        if (const std::size_t known = contestants.find(configuration); known < contestants.size()) {
            return known;
        }
        const jitune::Reduction pinned(jitune::ReduceOp::sum, configuration);
        return contestants.add(
            configuration,
            launch_of(std::make_shared<Handle>(prepare<T, R>(shape, fixed, pinned))));
    };
    const std::size_t answered = place_of(first.info.configuration);
    const std::size_t best = reference.empty() ? answered : place_of(reference);
    if (shape.form == "all") {
        contestants.add("CUB", cub_sum<T, R>(shape.elements()));
    }
    const std::vector<double> us = bench.time(contestants.chains());
    std::printf(
        "{\"wait\": %.4f, \"origin\": \"%s\", \"pending\": %lld, \"compiles\": %lld, \"ending\": "
        "%.3f, \"soon\": %.4f, "
        "\"answer\": %.4f, \"default\": %.4f, \"reference\": %.4f, \"cub\": %.4f, "
        "\"configuration\": \"%s\", "
        "\"reference_configuration\": \"%s\"}\n",
        first.wait, jitune::to_string(first.info.origin),
        static_cast<long long>(first.counters.pending),
        static_cast<long long>(first.counters.compiles), first.ending, first.soon, us[answered],
        us[0], reference.empty() ? 0 : us[best], shape.form == "all" ? us.back() : 0,
        first.info.configuration.c_str(), reference.c_str());
    return 0;
}

}  // namespace

int main(int count, char** words) {
    if (count < 7) {
        std::fprintf(stderr, "usage: first_use FORM ELEMENT OUTER INNER BUDGET CALL [REFERENCE]\n");
        return 2;
    }
    const std::string element = words[2];
    const Arguments arguments{{words[1], std::atoll(words[3]), std::atoll(words[4])},
                              std::atof(words[5]),
                              std::string(words[6]) == "call",
                              count > 7 ? words[7] : ""};
    try {
        return element == "float16"   ? run<jitune::float16>(arguments)
               : element == "float64" ? run<double>(arguments)
               : element == "int32"   ? run<std::int32_t>(arguments)
                                      : run<float>(arguments);
    } catch (const jitune::Error& error) {
        std::fprintf(stderr, "first_use: %s\n", error.what());
        return 3;
    }
}
