// SPDX-License-Identifier: Apache-2.0
#include "check/check_jobs.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/thread_pool.hpp"
#include "tuning/search/compile_programs.hpp"

namespace jitune::internal {

namespace {

// Each program reads the template's headers anew; one bad instance has its program compiled again.
constexpr std::size_t kMostPerProgram = 8;

}  // namespace

std::size_t CheckJobs::add(const CheckDevice& device, const Instance& instance) {
    const std::string program = fmt::format("{}\n{}", device.info.id, instance.program());
    const std::string name = fmt::format("{}{}", program, fmt::join(instance.expressions, ";"));
    const auto [known, is_new] = places_.try_emplace(name, places_.size());
    if (!is_new) {
        return known->second;
    }
    const auto open = open_jobs_.find(program);
    if (open == open_jobs_.end() || jobs_[open->second].places.size() == kMostPerProgram) {
        open_jobs_[program] = jobs_.size();
        jobs_.push_back({&device, {}, {}});
    }
    Job& job = jobs_[open_jobs_[program]];
    job.instances.push_back(instance);
    job.places.push_back(known->second);
    return known->second;
}

void CheckJobs::compile(const Job& job) {
    const CheckDevice& device = *job.device;
    std::vector<CompileOutcome> outcomes = compile_programs(
        [&](const TemplateSource& source, std::span<const Instance> instances) {
            return device.compile(device.info, source, instances);
        },
        source_, job.instances);
    for (std::size_t i = 0; i < job.places.size(); ++i) {
        outcomes_[job.places[i]] = std::move(outcomes[i]);  // no other job has this place
    }
}

void CheckJobs::run() {
    outcomes_.resize(places_.size());
    std::atomic<std::size_t> next{0};
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    ThreadPool().run(std::min(cores, jobs_.size()), [&](std::size_t) {
        try {
            for (std::size_t i = next++; i < jobs_.size(); i = next++) {
                compile(jobs_[i]);
            }
        } catch (...) {
            next = jobs_.size();
            throw;
        }
    });
}

}  // namespace jitune::internal
