// SPDX-License-Identifier: Apache-2.0
// leaves PLACE HOW CALLER MS: a program that ends MS milliseconds after its first call began,
// whatever is being tuned. PLACE is host or cuda.
//
//     HOW     return   main returns
//             exit     main calls std::exit
//             quick    main calls std::quick_exit
//             throw    an exception leaves main, which ends the program by SIGABRT
//             thread   another thread calls std::exit
//             static   main returns, and a static destructor calls jitune
//     CALLER  main     calls, and sleeps for the rest of the time
//             threads  two threads call, and go on while the program ends
//
// Prints the time (CLOCK_MONOTONIC) at which it leaves. A wrong sum ends it with 9; an Error of
// jitune is printed, and its thread calls no more: on a GPU the driver may end before the threads
// do.
#include "place.hpp"

#include <unistd.h>

#include <ctime>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

constexpr std::int64_t kN = 196'613;

bool on_gpu = false;
bool calls_at_exit = false;
const journeys::Array<float>* values = nullptr;

/// False after an Error.
bool call(std::int64_t n) {
    try {
        const float sum = on_gpu ? jitune::tuned_reduce(values->gpu(), n)
                                 : jitune::tuned_reduce(std::span(values->host().data(),
                                                                  static_cast<std::size_t>(n)));
        if (sum != static_cast<float>(n)) {
            std::_Exit(9);
        }
        return true;
    } catch (const jitune::Error& error) {
        std::fprintf(stderr, "leaves: %s\n", error.what());
        return false;
    }
}

struct CallsAtExit {
    ~CallsAtExit() {
        if (calls_at_exit) {
            static_cast<void>(call(kN / 3));
        }
    }
};
CallsAtExit last;

void say_leaving() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    char text[64];
    const int length = std::snprintf(text, sizeof text, "leaving %lld.%09ld\n",
                                     static_cast<long long>(now.tv_sec), now.tv_nsec);
    static_cast<void>(!::write(1, text, static_cast<std::size_t>(length)));
}

int leave(const std::string& how) {
    calls_at_exit = how == "static";
    say_leaving();
    if (how == "exit") {
        std::exit(0);
    }
    if (how == "quick") {
        std::quick_exit(0);
    }
    if (how == "throw") {
        throw std::runtime_error("an exception leaves main");
    }
    if (how == "thread") {
        std::thread([] { std::exit(0); }).join();
    }
    return 0;
}

}  // namespace

int main(int count, char** words) {
    if (count < 5) {
        std::fprintf(stderr, "usage: leaves PLACE HOW CALLER MS\n");
        return 2;
    }
    on_gpu = journeys::is_gpu(words[1]);
    values =
        new journeys::Array<float>(on_gpu, std::vector<float>(static_cast<std::size_t>(kN), 1.0F));
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(std::atoll(words[4]));
    if (std::string(words[3]) == "threads") {
        for (const std::int64_t n : {kN, kN / 7}) {
            std::thread([n] {
                while (call(n)) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
            }).detach();
        }
    } else if (!call(kN)) {
        return 3;
    }
    std::this_thread::sleep_until(end);
    return leave(words[2]);
}
