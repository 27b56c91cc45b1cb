#include "behaviour_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fake_sum.hpp"

namespace jitune {

namespace {

constexpr const char* kFrontMatter = R"toml(/* jitune template
kernel = "behaviour"
backend = "{0}"
cache = "warm"
sizes = ["n"]

[parameters]
behaviour = {{ values = ["{1}"], default = "good", type = "Behaviour" }}
copy = {{ values = [1, 2, 3, 4], default = 1 }}

[arguments]
values = {{ access = "in", type = "int32", count = "n" }}
n = {{ access = "scalar", type = "uint64", value = "n" }}
result = {{ access = "out", type = "int32", count = "1" }}

[[launch]]
entry = "sum"
template = ["behaviour", "copy"]
arguments = ["values", "n", "result"]
shared_bytes = "iif(behaviour = 'four_mebibytes', 4194304, 0)"
*/
enum class Behaviour {{ {2} }};
)toml";

constexpr const char* kCommon = R"(
template <class T, Behaviour kBehaviour>
constexpr bool compiles = kBehaviour != Behaviour::compile_error;

// Each costs the compiler some seconds.
template <int kTurn>
constexpr int slow() {
    int sum = kTurn;
    for (int i = 0; i < 200000; ++i) {
        for (int j = 0; j < 5; ++j) {
            sum ^= i * j;
        }
    }
    return sum;
}
template <int kTurns>
constexpr int endless() {
    constexpr int mine = slow<kTurns>();
    if constexpr (kTurns > 0) {
        return mine ^ endless<kTurns - 1>();
    }
    return mine;
}
)";

constexpr const char* kHost = R"(
extern "C" long write(int, const void*, unsigned long);
extern "C" [[noreturn]] void abort();

template <Behaviour kBehaviour, int kCopy>
void sum(const int* values, unsigned long n, int* result) {
    static_assert(compiles<int, kBehaviour>, "this one does not compile");
    static int calls = 0;
    int total = 0;
    for (unsigned long i = 0; i < n; ++i) {
        total += values[i];
    }
    ++calls;
    if constexpr (kBehaviour == Behaviour::off_by_one) {
        total -= values[n - 1];
    } else if constexpr (kBehaviour == Behaviour::sometimes_wrong) {
        total += calls % 4 == 0;
    } else if constexpr (kBehaviour == Behaviour::out_of_bounds) {
        result[1] = 0;
    } else if constexpr (kBehaviour == Behaviour::segfault) {
        *(volatile int*)8 = 1;
    } else if constexpr (kBehaviour == Behaviour::trap) {
        __builtin_trap();
    } else if constexpr (kBehaviour == Behaviour::assertion) {
        write(2, "assertion failed: true is false", 31);
        abort();
    } else if constexpr (kBehaviour == Behaviour::hang) {
        for (volatile int forever = 1; forever != 0;) {
        }
    } else if constexpr (kBehaviour == Behaviour::endless_compile) {
        constexpr int never = endless<800 + 0 * kCopy>();
        total += never;
    }
    *result = total;
}
)";

constexpr const char* kCuda = R"(
template <Behaviour kBehaviour, int kCopy>
__global__ void sum(const int* values, unsigned long long n, int* result) {
    static_assert(compiles<int, kBehaviour>, "this one does not compile");
    int total = 0;
    for (unsigned long long i = 0; i < n; ++i) {
        total += values[i];
    }
    if constexpr (kBehaviour == Behaviour::off_by_one) {
        total -= values[n - 1];
    } else if constexpr (kBehaviour == Behaviour::sometimes_wrong) {
        static int calls = 0;
        total += ++calls % 4 == 0;
    } else if constexpr (kBehaviour == Behaviour::out_of_bounds) {
        result[1] = 0;
    } else if constexpr (kBehaviour == Behaviour::segfault) {
        *(volatile int*)8 = 1;
    } else if constexpr (kBehaviour == Behaviour::misaligned) {
        *(volatile int*)((char*)result + 1) = 1;
    } else if constexpr (kBehaviour == Behaviour::trap) {
        __trap();
    } else if constexpr (kBehaviour == Behaviour::assertion) {
        __assertfail("true is false", "behaviour.cu", 1, "sum", 1);
    } else if constexpr (kBehaviour == Behaviour::hang) {
        for (;;) {
            asm volatile("nanosleep.u32 1000;");  // a loop that does nothing would be left out
        }
    } else if constexpr (kBehaviour == Behaviour::endless_compile) {
        constexpr int never = endless<800 + 0 * kCopy>();
        total += never;
    }
    *result = total;
}
)";

constexpr const char* kAll =
    "good, off_by_one, sometimes_wrong, out_of_bounds, segfault, misaligned, trap, assertion, "
    "hang, "
    "four_mebibytes, compile_error, endless_compile";

}  // namespace

Kernel behaviour_kernel(std::span<const std::string> spec) {
    const bool host = spec[1] == "host";
    const std::string text =
        fmt::format(kFrontMatter, spec[1], fmt::join(spec.subspan(2), "\", \""), kAll) + kCommon +
        (host ? kHost : kCuda);
    return {KernelTemplate({host ? "behaviour.host.cpp" : "behaviour.cu", text, {}}),
            fake_sum_workload(),
            {spec.begin(), spec.end()},
            true};
}

Problem behaviour_problem(std::int64_t n) {
    return {"behaviour", {}, {n}, 4};
}

}  // namespace jitune
