// SPDX-License-Identifier: Apache-2.0
// An app that ends while its threads call jitune: `exits <end> <milliseconds>`. Its calls are
// right, or throw an Error, to its very end: a static destructor calls, too, and ends the program
// with 1 where that does not hold.

#include <jitune/reduce.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

namespace {

/// Calls for another size and type each time, so that each may be a problem that is to be tuned.
template <class T>
void call(std::size_t count) {
    const std::vector<T> values(count, T(1));
    try {
        if (static_cast<std::size_t>(jitune::tuned_reduce(values)) != count) {
            std::fputs("wrong\n", stderr);
            std::_Exit(1);
        }
    } catch (const jitune::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
}

void call_on_and_on(std::size_t count) {
    while (true) {
        call<float>(count);
        call<double>(count);
        call<std::int32_t>(count);
        count = count % 100'000 + 1'000;
    }
}

/// Is destroyed after all that jitune has made.
struct Last {
    ~Last() {
        call<float>(777);
        call<std::int64_t>(7'777'777);
        std::fputs("last\n", stderr);
    }
} const last;

}  // namespace

int main(int /*count*/, char** arguments) {
    const std::string_view end = arguments[1];
    for (std::size_t thread = 0; thread < 2; ++thread) {
        std::thread(call_on_and_on, 1'000 * (thread + 1)).detach();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(arguments[2])));
    if (end == "exit") {
        std::exit(7);
    }
    if (end == "exit in a thread") {
        std::thread([] { std::exit(7); }).join();
    }
    if (end == "quick_exit") {
        std::quick_exit(7);
    }
    if (end == "throw") {
        throw std::runtime_error("out of main");
    }
    return 7;
}
