// SPDX-License-Identifier: Apache-2.0
// claims [PROBLEMS] [CLAIMANTS] [FOLDER]: how fast many tasks claim the problems of one plan. Each
// claimant is a thread with a ClaimFolder of its own; tuning and delivering take no time. Prints
// the rate in each tenth of the problems, and fails if one is claimed twice or never.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "plan/claim_folder.hpp"
#include "plan/task_name.hpp"
#include "support/temp_dir.hpp"

namespace {

using namespace jitune::internal;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kTenths = 10;

struct Tally {
    explicit Tally(std::size_t problems) : claims(problems), at(problems) {}

    std::vector<std::atomic<int>> claims;  // by rank
    std::vector<Clock::time_point> at;     // of each claim, in the order of the claims
    std::atomic<std::size_t> count{0};
    std::atomic<std::size_t> errors{0};
};

void work(const SharedFolder& folder, const SharedFolder& part, const Deliveries& deliveries,
          const ClaimScope& scope, std::size_t number, Tally& tally) {
    try {
        const std::string task =
            task_name(fmt::format("host=node{} boot=b pids=1 pid={} start=1", number, number), 0);
        ClaimFolder claims(folder, part, deliveries, scope, task);
        while (const auto claimed = claims.claim()) {
            ++tally.claims.at(claimed->rank);
            tally.at.at(std::min(tally.count++, tally.at.size() - 1)) = Clock::now();
            claims.finish(*claimed);
        }
    } catch (const std::exception& error) {
        if (tally.errors++ == 0) {
            fmt::print(stderr, "claims: {}\n", error.what());
        }
    }
}

double seconds(Clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

int run(std::size_t problems, std::size_t claimants, const std::filesystem::path& root) {
    const SharedFolder folder = SharedFolder::open(root);
    const SharedFolder part = folder.make("unfinished");
    const ClaimScope scope{problems, shards_for(problems)};
    const Deliveries deliveries(folder.make("results"), SharedFolder::open(part.path()),
                                scope.shards);
    Tally tally(problems);
    const auto start = Clock::now();
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < claimants; ++i) {
            threads.emplace_back([&, i] { work(folder, part, deliveries, scope, i, tally); });
        }
    }
    const double all = seconds(Clock::now() - start);
    const auto wrong = std::count_if(tally.claims.begin(), tally.claims.end(),
                                     [](const auto& count) { return count != 1; });
    fmt::print(
        "{} problems, {} claimants, {} shards: {} claims in {:.2f} s, {:.0f} claims/s; {} "
        "claimed twice or never\n",
        problems, claimants, scope.shards, tally.count.load(), all,
        static_cast<double>(tally.count) / all, wrong);
    auto before = start;
    for (std::size_t i = 1; i <= kTenths; ++i) {
        const std::size_t end = problems * i / kTenths;
        const std::size_t begin = problems * (i - 1) / kTenths;
        const auto now = tally.at[end - 1];
        fmt::print("  tenth {:2}: {:7.0f} claims/s\n", i,
                   static_cast<double>(end - begin) / std::max(seconds(now - before), 1e-9));
        before = now;
    }
    fmt::print("  after the last claim: {:.2f} s\n", all - seconds(before - start));
    return wrong == 0 && tally.errors == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    const auto number = [&](int place, const char* standard) {
        return std::strtoull(argc > place ? argv[place] : standard, nullptr, 10);
    };
    if (argc > 3) {
        setenv("TMPDIR", argv[3], 1);
    }
    try {
        const TempDir root;
        return run(std::max(number(1, "100000"), 10ULL), number(2, "1000"), root.path());
    } catch (const std::exception& error) {
        fmt::print(stderr, "claims: {}\n", error.what());
        return 1;
    }
}
