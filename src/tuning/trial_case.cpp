// SPDX-License-Identifier: Apache-2.0
#include "tuning/trial_case.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::byte kPoison{0xa5};
constexpr std::size_t kCanaryBytes = 256;  // behind each output; must stay poisoned

bool is_poison(std::span<const std::byte> canary) {
    return std::all_of(canary.begin(), canary.end(), [](std::byte b) { return b == kPoison; });
}

void* at(void* data, std::size_t offset) {
    return static_cast<std::byte*>(data) + offset;
}

void upload_repeating(Bench& bench, void* device, const CaseArgument& input) {
    const std::size_t first = std::min(input.pattern->size(), input.bytes);
    bench.upload(device, std::span(*input.pattern).first(first));
    for (std::size_t done = first; done < input.bytes;) {
        const std::size_t step = std::min(done, input.bytes - done);
        bench.copy(at(device, done), device, step);
        done += step;
    }
}

}  // namespace

TrialCase::TrialCase(Bench& bench, const Case& spec) : bench_(bench), spec_(spec) {
    for (const CaseArgument& argument : spec.arguments) {
        if (argument.value) {
            arrays_.push_back(argument_of(*argument.value));
            continue;
        }
        if (argument.by_value) {
            arrays_.push_back(const_cast<std::byte*>(argument.pattern->data()));
            continue;
        }
        const std::size_t behind = argument.written ? kCanaryBytes : 0;
        memory_.push_back(
            bench.allocate(std::max<std::size_t>(argument.offset + argument.bytes + behind, 1)));
        arrays_.push_back(at(memory_.back()->data(), argument.offset));
        if (argument.pattern != nullptr) {
            upload_repeating(bench, arrays_.back(), argument);
        }
        if (argument.written) {
            written_.push_back({&argument, arrays_.back()});
        }
    }
}

void TrialCase::restore() {
    for (const auto& [argument, array] : written_) {
        bench_.fill(array, kPoison, argument->bytes + kCanaryBytes);
        if (argument->pattern != nullptr) {
            upload_repeating(bench_, array, *argument);
        }
    }
}

std::string TrialCase::read(Outputs& outputs) {
    outputs.resize(written_.size());
    for (std::size_t i = 0; i < written_.size(); ++i) {
        const auto& [argument, array] = written_[i];
        outputs[i].resize(argument->bytes + kCanaryBytes);
        bench_.download(outputs[i], array);
        if (!is_poison(std::span(outputs[i]).last(kCanaryBytes))) {
            return "wrote behind the end of its output";
        }
        outputs[i].resize(argument->bytes);
    }
    return {};
}

std::string TrialCase::judge() {
    if (is_kept()) {
        return {};
    }
    if (std::string complaint = read(got_); !complaint.empty()) {
        return complaint;
    }
    std::string complaint = spec_.agree ? spec_.agree(got_, reference_) : spec_.judge(got_);
    if (complaint.empty()) {
        keep();
    }
    return complaint;
}

std::string TrialCase::judge_repeated() {
    if (is_kept()) {
        return {};
    }
    if (std::string complaint = read(again_); !complaint.empty()) {
        return complaint;
    }
    return kept_.empty() && got_ == again_ ? "" : "gives different bits from run to run";
}

// The canaries are compared with a constant on the host: a candidate that writes behind its output
// may write into the kept copies, too, and make them agree with its output.
bool TrialCase::is_kept() {
    std::array<std::byte, kCanaryBytes> canary;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
        const auto& [argument, array] = written_[i];
        bench_.download(canary, at(array, argument->bytes));
        if (!is_poison(canary) ||
            !bench_.equal(array, at(kept_[i]->data(), argument->offset), argument->bytes)) {
            return false;
        }
    }
    return !kept_.empty();
}

void TrialCase::keep() {
    std::size_t bytes = 0;
    for (const Written& written : written_) {
        bytes += written.argument->bytes;
    }
    if (bytes < kWorthComparing) {
        return;
    }
    try {
        if (kept_.empty()) {
            bench_.allocate(2 * bytes);  // only where candidates still find work memory
            std::vector<std::unique_ptr<DeviceMemory>> memory;
            for (const Written& written : written_) {  // of the same alignment, to compare words
                memory.push_back(
                    bench_.allocate(written.argument->offset + written.argument->bytes));
            }
            kept_ = std::move(memory);
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable) {
            throw;
        }
        return;
    }
    for (std::size_t i = 0; i < written_.size(); ++i) {
        const auto& [argument, array] = written_[i];
        bench_.copy(at(kept_[i]->data(), argument->offset), array, argument->bytes);
    }
}

}  // namespace jitune::internal
