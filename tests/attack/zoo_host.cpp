// SPDX-License-Identifier: Apache-2.0
#include "attack/zoo_rows.hpp"

namespace jitune::internal {

namespace {

constexpr Behaviour kHostRows[] = {
    // Right ones, of which some look suspicious.
    {"good", ""},
    {"prints_a_line", "if (calls == 1) puts(\"a line\");"},
    {"prints_binary", "if (calls == 1) write(1, \"\\0\\xff\\n\\0\", 4);"},
    {"prints_much", R"(
        static char text[1 << 16];
        for (int i = 0; calls == 1 && i < 1024; ++i) write(i % 2 + 1, text, sizeof text);)"},
    {"uses_the_heap", "delete[] new char[1 << 20];"},
    {"keeps_a_little_heap", "if (calls == 1) malloc(1000);"},
    {"joins_its_thread", "pthread_join(begin_thread([] {}), nullptr);"},
    {"keeps_an_idle_thread", "if (calls == 1) pthread_detach(begin_thread([] { pause(); }));"},
    {"sets_errno", "errno = ENOMEM;"},
    {"raises_floating_point_flags", "feraiseexcept(FE_ALL_EXCEPT);"},
    {"catches_its_exception", "try { throw 1; } catch (int) {}"},
    {"waits_for_its_child", R"(
        if (calls == 1) {
            const pid_t child = fork();
            if (child == 0) _exit(0);
            waitpid(child, nullptr, 0);
        })"},
    {"leaves_a_child_in_its_session", "if (calls == 1 && fork() == 0) sleep_for_ever();"},
    {"leaves_a_child_in_another_session",
     "if (calls == 1 && fork() == 0) { setsid(); sleep_for_ever(); }"},
    {"leaves_a_daemon", R"(
        if (calls == 1 && fork() == 0) {
            setsid();
            if (fork() != 0) _exit(0);
            sleep_for_ever();
        })"},
    {"leaves_many_children",
     "for (int i = 0; calls == 1 && i < 30; ++i) { if (fork() == 0) sleep_for_ever(); }"},
    {"leaves_a_small_file", R"(
        if (calls == 1) {
            fclose(fopen(TemporaryPath("left").text, "w"));
        })"},

    // Wrong results.
    {"off_by_one", "total -= values[n - 1];", kWrong, "got"},
    {"writes_nothing", "return;", kWrong, "got"},
    {"writes_the_answer_of_before",
     "static int before; const int now = total; total = before; before = now;", kWrong},
    {"sums_half", "total = 0; for (unsigned long i = 0; i < n / 2; ++i) total += values[i];",
     kWrong},
    {"wrong_unless_a_multiple_of_8", "total += n % 8 != 0;", kWrong},
    {"wrong_if_long", "total += n > 4999;", kWrong},
    {"wrong_if_misaligned", "total += reinterpret_cast<unsigned long>(values) % 16 != 0;", kWrong},
    {"random_result", "total = rand();", kWrong},
    {"result_is_the_time",
     "timespec now; clock_gettime(CLOCK_MONOTONIC, &now); total = now.tv_nsec;", kWrong},
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
    {.name = "wrong_after_a_rest",  // right in the search, wrong in the finals
     .code = R"(
        static long before = 0;
        static bool rested = false;
        timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        const long us = now.tv_sec * 1000000 + now.tv_nsec / 1000;
        rested = rested || (before != 0 && us - before > 5000);
        before = us;
        total += rested;)",
     .verdict = kWrong,
     .rare = true},
    {"sometimes_wrong", "total += calls % 4 == 0;", kWrong, "different bits from run to run"},

    // Writes to other memory.
    {"out_of_bounds", "result[1] = 0;", kWrong, "behind the end of its output"},
    {"just_before_its_output", "result[-1] = 0;", kWrong, "before the start of its output"},
    {"a_page_behind_its_output", "result[1024] = 0;", kCrashed, "signal 11"},
    {"a_page_before_its_output", "result[-2048] = 0;", kCrashed, "signal 11"},
    {"far_behind_its_output", "result[1 << 24] = 0;", std::nullopt},
    {"changes_an_input", "const_cast<int*>(values)[n / 2] ^= 1;", kWrong, "changed an input"},
    {"just_before_an_input", "const_cast<int*>(values)[-1] = 0;", kWrong,
     "before the start of an input"},
    {"just_behind_an_input", "const_cast<int*>(values)[n] = 0;", kWrong,
     "behind the end of an input"},
    {"reads_a_page_behind", "total += 0 * *(volatile const int*)(values + n + 2048);", kCrashed,
     "signal 11"},
    {"null_pointer", "*(volatile int*)8 = 1;", kCrashed, "signal 11"},
    {"segfault", "*(volatile int*)8 = 1;", kCrashed, "signal 11 (Segmentation fault)"},
    {"writes_over_code", "*(volatile char*)(void*)&getpid = 0;", kCrashed, "signal 11"},
    {"bus_error", R"(
        FILE* empty = tmpfile();
        *(volatile char*)mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(empty), 0) = 1;)",
     kCrashed, "signal 7"},
    {"overruns_its_heap_block",
     "char* block = (char*)malloc(1000); keep(block); memset(block, 1, 1100);", std::nullopt},
    {"underruns_its_heap_block",
     "char* block = (char*)malloc(1000); keep(block); memset(block - 100, 1, 100);", std::nullopt},
    {"frees_twice", "char* block = (char*)malloc(100); keep(block); free(block); free(block);",
     kCrashed, "signal 6"},
    {"frees_its_output", "free(result);", kCrashed},
    {"overflows_its_stack", "total += 0 * recurse(1);", kCrashed, "signal 11"},
    {"overruns_an_array_on_its_stack",
     "char small[8]; keep(small); memset(small, 1, 1 << 24); keep(small);", kCrashed},

    // Ends of the process.
    {"trap", "__builtin_trap();", kCrashed, "signal 4"},
    {"assertion", "write(2, \"assertion failed: true is false\", 31); abort();", kCrashed,
     "assertion failed: true is false"},
    {"divides_by_zero", "volatile int zero = 0; total /= zero;", kCrashed, "signal 8"},
    {"kills_itself", "raise(SIGKILL);", kCrashed, "signal 9"},
    {"kills_its_group", "kill(0, SIGKILL);", kCrashed, "signal 9"},
    {"terminates_itself", "raise(SIGTERM);", kCrashed, "signal 15"},
    {"ends_with_0", "_exit(0);", kCrashed},
    {"ends_with_3", "_exit(3);", kCrashed},
    {"ends_in_order", "exit(0);", kCrashed},
    {"becomes_another_program", "execl(\"/bin/true\", \"true\", nullptr);", kCrashed},
    {"throws_an_exception", "throw OfItsOwn();", kFailed, "threw an exception: of its own"},
    {"throws_a_number", "throw 1;", kFailed, "threw an exception"},
    {"throws_in_a_thread", "pthread_join(begin_thread([] { throw 1; }), nullptr);", kCrashed,
     "signal 6"},
    {"needs_64_tebibytes", "keep(new char[1ul << 46]);", kFailed, "bad_alloc"},

    // Endless ones.
    {"hang", "for (volatile int forever = 1; forever != 0;) {}", kHung, "did not end", true},
    {"sleeps", "sleep_for_ever();", kHung, "did not end", true},
    {"stops_itself", "raise(SIGSTOP);", kHung, "did not end", true},
    {"locks_twice",
     "static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; for (int i = 0; i < 2; ++i) "
     "pthread_mutex_lock(&mutex);",
     kHung, "", true},
    {"ends_its_thread", "pthread_exit(nullptr);", std::nullopt, "", true},
    {"endless_load", "for (volatile int forever = 1; forever != 0;) {}", kHung, "did not end", true,
     true},
    {"crashes_at_load", "*(volatile int*)8 = 1;", kCrashed, "signal 11", false, true},

    // The compiler's part.
    {"compile_error", "", Verdict::compile_failed, "this one does not compile"},
    {"no_such_function",
     "total += no_such_function(std::integral_constant<Behaviour, kBehaviour>());", std::nullopt,
     "no_such_function"},
    {"endless_compile", "constexpr int never = endless<800 + 0 * kCopy>(); total += never;",
     Verdict::compile_failed, "did not end", true},

    // Changes to the process that later candidates would suffer from.
    {"changes_the_directory", "chdir(\"/\");", kFailed, "working directory"},
    {"changes_the_umask", "umask(0777);", kFailed, "file mode mask"},
    {"changes_the_locale", "setlocale(LC_ALL, \"C.UTF-8\");", kFailed, "locale"},
    {"changes_the_environment", "setenv(\"TMPDIR\", \"/nowhere\", 1);", kFailed, "environment"},
    {"changes_the_rounding", "fesetround(FE_UPWARD);", kFailed, "floating-point"},
    {"traps_floating_point", "feenableexcept(FE_OVERFLOW);", kFailed, "floating-point"},
    {"lowers_a_limit", "rlimit few{3, 3}; setrlimit(RLIMIT_NOFILE, &few);", kFailed,
     "resource limit"},
    {"ignores_segfaults", "signal(SIGSEGV, SIG_IGN);", kFailed, "signal handler"},
    {"blocks_signals", "sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, nullptr);",
     kFailed, "blocked"},
    {"leaves_a_busy_thread",
     "if (calls == 1) pthread_detach(begin_thread([] { for (volatile int i = 1; i;) {} }));",
     kFailed, "left a thread running"},
    {"leaves_files_open", "for (int i = 0; i < 100; ++i) dup(0);", kFailed, "left files open"},
    {"removes_the_folder", "if (calls == 1) remove_temporary_folder();", kFailed,
     "removed the folder for temporary files"},
    {"fills_the_folder", R"(
        if (calls == 1) {
            FILE* file = fopen(TemporaryPath("full").text, "w");
            static char mebibyte[1 << 20];
            memset(mebibyte, 'x', sizeof mebibyte);
            for (int i = 0; i < 100; ++i) fwrite(mebibyte, 1, sizeof mebibyte, file);
            fclose(file);
        })",
     kFailed, "temporary files"},
    {"closes_all_files", "closefrom(3);", std::nullopt},
    {"closes_standard_output", "close(1);", kFailed, "standard stream"},
    {"leaves_an_alarm", "alarm(600);", kFailed, "alarm"},
    {"changes_the_priority", "setpriority(PRIO_PROCESS, 0, 5);", kFailed, "priority"},
    {"writes_to_files_3_to_10", "for (int i = 3; i <= 10; ++i) write(i, \"garbage\", 7);"},
    {"writes_to_all_files",
     "for (int i = 3; i < 70000; ++i) send(i, \"garbage\", 7, MSG_DONTWAIT);", kCrashed,
     "malformed message"},
    {"kills_its_threads_siblings",
     "for (int i = 1; i < 100; ++i) syscall(SYS_tgkill, getpid(), getpid() + i, SIGKILL);",
     std::nullopt},
};

}  // namespace

const std::span<const Behaviour> kHostZoo = kHostRows;

}  // namespace jitune::internal
