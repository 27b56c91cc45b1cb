// A jitune command with one more kernel: "worker <folder>" as it, "sweep <database> <sizes…>" tunes
// the right candidates of the behaviour kernel on the host and prints a line for each problem.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "behaviour_kernel.hpp"
#include "engine/engine.hpp"
#include "worker/worker.hpp"

namespace {

using namespace jitune;

int sweep(const char* database, std::span<char*> sizes) {
    Options options;
    options.database = database;
    options.worker = "/proc/self/exe";
    options.log_level = LogLevel::error;
    Engine engine(options);
    const std::array<std::string, 3> spec{"behaviour", "host", "good"};
    const Kernel kernel = behaviour_kernel(spec);
    Backend& host = engine.backend("host");
    for (const char* size : sizes) {
        const Problem problem = behaviour_problem(std::atoll(size));
        const auto winner = engine.store()->find(kernel.kernel_template.key(problem, host.info()));
        if (winner && winner->complete) {
            continue;
        }
        TuneOptions tuning;
        tuning.strategy = "exhaustive";
        const TuneReport report = engine.tune_and_store(host, kernel, problem, tuning);
        std::printf("%s %zu of %zu\n", size, report.progress.evaluated, report.progress.space);
    }
    return engine.counters().store_errors == 0 ? 0 : 3;
}

}  // namespace

int main(int argc, char** argv) {
    static constexpr std::array kTable{KernelEntry{"behaviour", behaviour_kernel}};
    const std::span arguments(argv, static_cast<std::size_t>(argc));
    try {
        if (argc == 3 && std::string_view(argv[1]) == "worker") {
            run_worker(argv[2], kTable);
        }
        return argc > 3 ? sweep(argv[2], arguments.subspan(3)) : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
