// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/trial_case.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::byte kPoison{0xa5};
// The length of the canaries before and behind each array, which must stay poisoned: the alignment
// of texture objects.
constexpr std::size_t kCanaryBytes = 512;

bool is_poison(std::span<const std::byte> canary) {
    return std::all_of(canary.begin(), canary.end(), [](std::byte b) { return b == kPoison; });
}

/// Whether bytes are those of the pattern, repeated.
bool repeats(std::span<const std::byte> pattern, std::span<const std::byte> bytes) {
    for (std::size_t done = 0; done < bytes.size(); done += pattern.size()) {
        const std::size_t step = std::min(pattern.size(), bytes.size() - done);
        if (std::memcmp(bytes.data() + done, pattern.data(), step) != 0) {
            return false;
        }
    }
    return true;
}

void* at(void* data, std::size_t offset) {
    return static_cast<std::byte*>(data) + offset;
}

/// Where the canary before an array begins.
void* front_of(void* array) {
    return static_cast<std::byte*>(array) - kCanaryBytes;
}

/// Says what was written to the canaries at both ends of `bytes`, if anything was.
std::string canary_complaint(std::span<const std::byte> bytes, const char* array) {
    if (!is_poison(bytes.first(kCanaryBytes))) {
        return fmt::format("wrote before the start of {}", array);
    }
    if (!is_poison(bytes.last(kCanaryBytes))) {
        return fmt::format("wrote behind the end of {}", array);
    }
    return {};
}

void upload_repeating(Bench& bench, void* device, const CaseArgument& input) {
    const std::size_t first = std::min(input.pattern->size(), input.bytes);
    bench.upload(device, std::span(*input.pattern).first(first));
    for (std::size_t done = first; done < input.bytes;) {  // each copy doubles what is there
        const std::size_t step = std::min(done, input.bytes - done);
        bench.copy(at(device, done), device, step);
        done += step;
    }
}

}  // namespace

TrialCase::TrialCase(Bench& bench, const Case& spec) : bench_(bench), spec_(spec) {
    lay_out();
    std::for_each(read_only_.begin(), read_only_.end(), [&](const Array& one) { refill(one); });
}

TrialCase::TrialCase(Bench& bench, const TrialCase& other) : bench_(bench), spec_(other.spec_) {
    lay_out();
    for (std::size_t i = 0; i < read_only_.size(); ++i) {
        const DeviceMemory& source = *other.read_only_[i].memory;
        bench.copy(read_only_[i].memory->data(), source.data(), source.bytes());
    }
}

void TrialCase::lay_out() {
    for (const CaseArgument& argument : spec_.arguments) {
        if (argument.value) {
            arrays_.push_back(argument_of(*argument.value));
            continue;
        }
        if (argument.by_value) {
            arrays_.push_back(const_cast<std::byte*>(argument.pattern->data()));
            continue;
        }
        const std::size_t offset = kCanaryBytes + argument.offset;
        memory_.push_back(bench_.allocate(offset + argument.bytes + kCanaryBytes));
        arrays_.push_back(at(memory_.back()->data(), offset));
        if (argument.written) {
            written_.push_back({&argument, arrays_.back(), memory_.back().get()});
        } else if (argument.pattern != nullptr) {
            read_only_.push_back({&argument, arrays_.back(), memory_.back().get()});
        }
    }
}

void TrialCase::refill(const Array& array) {
    const std::size_t before = kCanaryBytes + array.argument->offset;
    bench_.fill(array.memory->data(), kPoison, before + array.argument->bytes + kCanaryBytes);
    if (array.argument->pattern != nullptr) {
        upload_repeating(bench_, array.data, *array.argument);
    }
}

void TrialCase::restore() {
    std::for_each(written_.begin(), written_.end(), [&](const Array& one) { refill(one); });
}

std::string TrialCase::judge_inputs() {
    std::string complaint;
    for (const Array& input : read_only_) {
        std::string one = input_complaint(input);
        if (!one.empty()) {
            refill(input);
            complaint = std::move(one);
        }
    }
    return complaint;
}

/// Of large inputs only the beginning comes to the host. The device then compares the input with
/// itself, shifted by the pattern that it repeats.
std::string TrialCase::input_complaint(const Array& input) {
    const CaseArgument& argument = *input.argument;
    const std::span<const std::byte> pattern(*argument.pattern);
    const bool is_small = argument.bytes < kWorthComparing;
    const std::size_t seen = is_small ? argument.bytes : std::min(pattern.size(), argument.bytes);
    around_.resize(kCanaryBytes + seen + kCanaryBytes);
    const auto around = std::span(around_);
    bench_.download(is_small ? around : around.first(kCanaryBytes + seen), front_of(input.data));
    if (!is_small) {
        bench_.download(around.last(kCanaryBytes), at(input.data, argument.bytes));
    }
    if (std::string complaint = canary_complaint(around, "an input"); !complaint.empty()) {
        return complaint;
    }
    const bool is_same = repeats(pattern, around.subspan(kCanaryBytes, seen)) &&
                         (seen == argument.bytes ||
                          bench_.equal(input.data, at(input.data, seen), argument.bytes - seen));
    return is_same ? "" : "changed an input";
}

std::string TrialCase::read(Outputs& outputs) {
    outputs.resize(written_.size());
    for (std::size_t i = 0; i < written_.size(); ++i) {
        const Array& array = written_[i];
        std::vector<std::byte>& output = outputs[i];
        output.resize(array.argument->bytes + 2 * kCanaryBytes);
        bench_.download(output, front_of(array.data));
        if (std::string complaint = canary_complaint(output, "its output"); !complaint.empty()) {
            return complaint;
        }
        output.resize(kCanaryBytes + array.argument->bytes);
        output.erase(output.begin(), output.begin() + kCanaryBytes);
    }
    return {};
}

std::vector<MemoryRegion> TrialCase::memory_of(const std::vector<Array>& arrays) {
    std::vector<MemoryRegion> regions;
    for (const auto& [argument, data, memory] : arrays) {
        regions.push_back(
            {memory->data(), kCanaryBytes + argument->offset + argument->bytes + kCanaryBytes});
    }
    return regions;
}

std::string TrialCase::judge() {
    if (is_kept()) {
        return {};
    }
    std::string complaint = judge_copy(*this);
    if (complaint.empty()) {
        keep();
    }
    return complaint;
}

std::string TrialCase::judge_copy(TrialCase& copy) {
    if (std::string complaint = copy.read(got_); !complaint.empty()) {
        return complaint;
    }
    return spec_.agree ? spec_.agree(got_, reference_) : spec_.judge(got_);
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
    std::array<std::byte, 2 * kCanaryBytes> canaries;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
        const auto& [argument, array, memory] = written_[i];
        bench_.download(std::span(canaries).first(kCanaryBytes), front_of(array));
        bench_.download(std::span(canaries).last(kCanaryBytes), at(array, argument->bytes));
        if (!is_poison(canaries) ||
            !bench_.equal(array, at(kept_[i]->data(), argument->offset), argument->bytes)) {
            return false;
        }
    }
    return !kept_.empty();
}

void TrialCase::keep() {
    std::size_t bytes = 0;
    for (const Array& written : written_) {
        bytes += written.argument->bytes;
    }
    if (bytes < kWorthComparing) {
        return;
    }
    // Copies are a help, not a need: if memory is short, outputs are judged on the host.
    try {
        if (kept_.empty()) {
            bench_.allocate(2 * bytes);  // only if candidates still find work memory
            std::vector<std::unique_ptr<DeviceMemory>> memory;
            for (const Array& written : written_) {  // of the same alignment, to compare words
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
        const auto& [argument, array, memory] = written_[i];
        bench_.copy(at(kept_[i]->data(), argument->offset), array, argument->bytes);
    }
}

}  // namespace jitune::internal
