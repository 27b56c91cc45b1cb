#include "engine/trial_case.hpp"

#include <algorithm>
#include <span>

namespace jitune {

namespace {

constexpr std::byte kPoison{0xa5};
constexpr std::size_t kCanaryBytes = 256;  // behind what is written; must stay poisoned

void upload_repeating(Bench& bench, void* device, const CaseArgument& input) {
    const std::size_t first = std::min(input.pattern->size(), input.bytes);
    bench.upload(device, std::span(*input.pattern).first(first));
    for (std::size_t done = first; done < input.bytes;) {
        const std::size_t step = std::min(done, input.bytes - done);
        bench.copy(static_cast<std::byte*>(device) + done, device, step);
        done += step;
    }
}

}  // namespace

TrialCase::TrialCase(Bench& bench, const Case& what) : bench_(bench), what_(what) {
    for (const CaseArgument& argument : what.arguments) {
        if (argument.value) {
            arrays_.push_back(reinterpret_cast<void*>(*argument.value));
            continue;
        }
        if (argument.by_value) {
            arrays_.push_back(const_cast<std::byte*>(argument.pattern->data()));
            continue;
        }
        const std::size_t behind = argument.written ? kCanaryBytes : 0;
        memory_.push_back(
            bench.allocate(std::max<std::size_t>(argument.offset + argument.bytes + behind, 1)));
        arrays_.push_back(static_cast<std::byte*>(memory_.back()->data()) + argument.offset);
        if (argument.pattern != nullptr) {
            upload_repeating(bench, arrays_.back(), argument);
        }
    }
}

void TrialCase::restore() {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        const CaseArgument& argument = what_.arguments[i];
        if (argument.written) {
            bench_.fill(arrays_[i], kPoison, argument.bytes + kCanaryBytes);
            if (argument.pattern != nullptr) {
                upload_repeating(bench_, arrays_[i], argument);
            }
        }
    }
}

std::string TrialCase::read(Outputs& outputs) {
    const auto& arguments = what_.arguments;
    outputs.resize(static_cast<std::size_t>(
        std::count_if(arguments.begin(), arguments.end(),
                      [](const CaseArgument& argument) { return argument.written; })));
    auto output = outputs.begin();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!arguments[i].written) {
            continue;
        }
        output->resize(arguments[i].bytes + kCanaryBytes);
        bench_.download(*output, arrays_[i]);
        const auto canary = output->begin() + static_cast<std::ptrdiff_t>(arguments[i].bytes);
        if (std::any_of(canary, output->end(), [](std::byte b) { return b != kPoison; })) {
            return "wrote behind the end of its output";
        }
        output->resize(arguments[i].bytes);
        ++output;
    }
    return {};
}

std::string TrialCase::judge() {
    if (std::string complaint = read(got_); !complaint.empty()) {
        return complaint;
    }
    return what_.agree ? what_.agree(got_, reference_) : what_.judge(got_);
}

std::string TrialCase::judge_repeated() {
    if (std::string complaint = read(again_); !complaint.empty()) {
        return complaint;
    }
    return got_ == again_ ? "" : "gives different bits from run to run";
}

}  // namespace jitune
