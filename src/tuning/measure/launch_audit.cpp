// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/launch_audit.hpp"

#include <algorithm>
#include <utility>

namespace jitune::internal {

namespace {

// Outputs of one sample whose bits are not known come to the host up to so many bytes.
constexpr std::size_t kMostDownloads = std::size_t{1} << 20;

void append(std::vector<MemoryRegion>& regions, const std::vector<MemoryRegion>& more) {
    regions.insert(regions.end(), more.begin(), more.end());
}

bool changes_in_place(const Case& problem) {
    return std::any_of(problem.arguments.begin(), problem.arguments.end(),
                       [](const CaseArgument& argument) {
                           return argument.written && argument.pattern != nullptr;
                       });
}

}  // namespace

LaunchAudit::LaunchAudit(Bench& bench, std::vector<TrialCase*> cases)
    : bench_(bench), cases_(std::move(cases)) {
    for (const TrialCase* one : cases_) {
        append(inputs_, one->inputs());
    }
    input_sums_ = bench.checksums(inputs_);
}

std::string LaunchAudit::judge_inputs(bool are_right) {
    std::vector<MemoryRegion> regions = inputs_;
    append(regions, cases_.back()->outputs());
    const Sums sums = bench_.checksums(regions);
    const auto outputs = sums.begin() + static_cast<std::ptrdiff_t>(inputs_.size());
    right_sums_.clear();
    if (are_right) {
        right_sums_.insert({outputs, sums.end()});
    }
    if (std::equal(sums.begin(), outputs, input_sums_.begin(), input_sums_.end())) {
        return {};
    }
    std::string complaint;
    for (TrialCase* one : cases_) {
        if (const std::string its = one->judge_inputs(); !its.empty()) {
            complaint = one->spec().name + ": " + its;
        }
    }
    return complaint;
}

std::string LaunchAudit::judge_timed(std::span<const std::unique_ptr<TrialCase>> copies) {
    TrialCase& problem = *cases_.back();
    if (changes_in_place(problem.spec())) {
        return {};
    }
    std::vector<MemoryRegion> regions;
    for (const auto& copy : copies) {
        append(regions, copy->outputs());
    }
    const Sums sums = bench_.checksums(regions);
    const auto each = static_cast<std::ptrdiff_t>(regions.size() / copies.size());
    std::size_t downloaded = 0;
    auto first = sums.begin();
    for (const auto& copy : copies) {
        const Sums its(first, first + each);
        first += each;
        if (right_sums_.contains(its)) {
            continue;
        }
        if (downloaded >= kMostDownloads) {
            break;
        }
        if (const std::string complaint = problem.judge_copy(*copy); !complaint.empty()) {
            return problem.spec().name + ": " + complaint + ", in a launch that was timed";
        }
        right_sums_.insert(its);
        for (const MemoryRegion& region : copy->outputs()) {
            downloaded += region.bytes;
        }
    }
    return {};
}

}  // namespace jitune::internal
