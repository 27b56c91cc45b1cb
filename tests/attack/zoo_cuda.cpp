// SPDX-License-Identifier: Apache-2.0
#include "attack/zoo_rows.hpp"

namespace jitune::internal {

namespace {

constexpr Behaviour kCudaRows[] = {
    {"good", ""},
    {"prints_a_line", "if (calls == 1) printf(\"a line\\n\");"},
    {"prints_much", "for (int i = 0; calls == 1 && i < 100000; ++i) printf(\"%d\\n\", i);"},
    {"leaves_device_heap", "if (calls == 1) total += 0 * (malloc(1000) == nullptr);"},

    {"off_by_one", "total -= values[n - 1];", kWrong, "got"},
    {"writes_nothing", "return;", kWrong, "got"},
    {"wrong_unless_a_multiple_of_8", "total += n % 8 != 0;", kWrong},
    {"wrong_if_long", "total += n > 4999;", kWrong},
    {"result_is_the_time", "total = clock();", kWrong},
    {.name = "wrong_once_in_7",
     .code = "total += calls % 7 == 0;",
     .verdict = kWrong,
     .rare = true},
    {.name = "wrong_once_in_50",
     .code = "total += calls % 50 == 0;",
     .verdict = kWrong,
     .rare = true},
    {.name = "wrong_after_40_calls",
     .code = "total += calls > 40;",
     .verdict = kWrong,
     .rare = true},
    {"sometimes_wrong", "total += calls % 4 == 0;", kWrong, "different bits from run to run"},

    {"out_of_bounds", "result[1] = 0;", kWrong, "behind the end of its output"},
    {"just_before_its_output", "result[-1] = 0;", kWrong, "before the start of its output"},
    {"changes_an_input", "const_cast<int*>(values)[n / 2] ^= 1;", kWrong, "changed an input"},
    {"just_before_an_input", "const_cast<int*>(values)[-1] = 0;", kWrong,
     "before the start of an input"},
    {"just_behind_an_input", "const_cast<int*>(values)[n] = 0;", kWrong,
     "behind the end of an input"},
    {"far_behind_its_output", "result[1ull << 36] = 0;", kFailed},
    {"segfault", "*(volatile int*)8 = 1;", kFailed},
    {"misaligned", "*(volatile int*)((char*)result + 1) = 1;", kFailed},
    {"overruns_shared_memory",
     "extern __shared__ int shared[]; *(volatile int*)(shared + (1 << 24)) = 1;", kFailed},
    {"overflows_its_stack", "total += 0 * recurse(1);", kFailed},
    {"trap", "__trap();", kFailed},
    {"assertion", "__assertfail(\"true is false\", \"behaviour.cu\", 1, \"sum\", 1);", kFailed},
    {"four_mebibytes", "", kFailed},

    // A loop that does nothing would be left out.
    {"hang", "for (;;) asm volatile(\"nanosleep.u32 1000;\");", Verdict::timed_out, "", true},

    {"compile_error", "", Verdict::compile_failed, "this one does not compile"},
    {"endless_compile", "constexpr int never = endless<800 + 0 * kCopy>(); total += never;",
     Verdict::compile_failed, "did not end", true},
};

}  // namespace

const std::span<const Behaviour> kCudaZoo = kCudaRows;

}  // namespace jitune::internal
