// SPDX-License-Identifier: Apache-2.0
#include "spread/placed_call.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dispatch/family.hpp"
#include "jitune/error.hpp"
#include "spread/machine.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {

namespace {

[[noreturn]] void refuse(std::string_view value, std::string_view wanted) {
    throw Error(
        ErrorKind::device,
        fmt::format("load a placement: got \"{}\", expected {}: tune again", value, wanted));
}

}  // namespace

PlacedValues::PlacedValues(std::string_view expression) {
    const std::size_t open = expression.find('<');
    const std::size_t close = expression.rfind('>');
    if (open != std::string_view::npos && close != std::string_view::npos && open < close) {
        rest_ = expression.substr(open + 1, close - open - 1);
    }
}

std::string_view PlacedValues::next() {
    if (rest_.empty()) {
        refuse("", "another value");
    }
    const std::size_t comma = std::min(rest_.find(','), rest_.size());
    std::string_view value = rest_.substr(0, comma);
    rest_.remove_prefix(std::min(comma + 1, rest_.size()));
    if (const std::size_t scope = value.rfind("::"); scope != std::string_view::npos) {
        value.remove_prefix(scope + 2);
    }
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    return value;
}

ElementType PlacedValues::element() {
    constexpr std::array<std::pair<std::string_view, ElementType>, 4> kNames{
        {{"float", ElementType::float32},
         {"double", ElementType::float64},
         {"int", ElementType::int32},
         {"unsigned char", ElementType::uint8}}};
    const std::string_view value = next();
    for (const auto& [name, type] : kNames) {
        if (value == name) {
            return type;
        }
    }
    refuse(value, "an element type");
}

int PlacedValues::integer() {
    constexpr int kMost = 1 << 20;
    const std::string_view value = next();
    const char* const end = value.data() + value.size();
    int number = 0;
    const auto [rest, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc() || rest != end || number < 0 || number > kMost) {
        refuse(value, "a whole number");
    }
    return number;
}

std::string_view PlacedValues::word(std::initializer_list<std::string_view> words) {
    const std::string_view value = next();
    if (std::find(words.begin(), words.end(), value) == words.end()) {
        std::string names;
        for (const std::string_view word : words) {
            names += fmt::format("{}{}", names.empty() ? "" : " or ", word);
        }
        refuse(value, names);
    }
    return value;
}

void PlacedValues::finish() const {
    if (!rest_.empty()) {
        refuse(rest_, "no further value");
    }
}

Placement Placement::on(Device& gpu) {
    Placement placement;
    placement.only = &gpu;
    return placement;
}

Placement Placement::read(PlacedValues& values) {
    Placement placement;
    const std::string_view processors = values.word({"host", "gpus", "all"});
    placement.processors = processors == "host"   ? Processors::host
                           : processors == "gpus" ? Processors::gpus
                                                  : Processors::all;
    placement.gpus = values.integer();
    placement.slots = values.integer();
    placement.chunk_bytes = static_cast<std::size_t>(values.integer()) << 10;
    placement.staging =
        values.word({"pinned", "pageable"}) == "pinned" ? Staging::pinned : Staging::pageable;
    values.finish();
    return placement;
}

std::vector<DeviceShare> Placement::shares(
    std::span<Device* const> gpus_of_machine, Device& host,
    const std::function<const Resolved&(Device&)>& resolve) const {
    if (only != nullptr) {
        return {{only, &resolve(*only), slots}};
    }
    const auto used = static_cast<std::size_t>(gpus);
    if (used > gpus_of_machine.size()) {
        refuse(fmt::format("gpus={}", gpus),
               fmt::format("at most {}, the GPUs of this machine", gpus_of_machine.size()));
    }
    std::vector<DeviceShare> shares;
    for (Device* gpu : gpus_of_machine.first(used)) {
        shares.push_back({gpu, &resolve(*gpu), slots});
    }
    if (processors == Processors::all) {
        shares.push_back({&host, &resolve(host), 1});
    }
    return shares;
}

namespace {

/// The launch of the host's own kernel for the whole array, by the calling thread.
std::unique_ptr<ReadyLaunch> ready_on_host(Machine& machine, const PlacedCall& call) {
    const Resolved& resolved = call.resolve_whole(machine.engine(), machine.host());
    const LaunchRule::Plan plan = resolved.rule.plan(call.sizes());
    StreamSite& site = machine.engine().host().site(nullptr);
    std::unique_ptr<ReadyLaunch> ready;
    resolved.program->prepare(resolved.rule.bind(plan, site.scratch(plan.scratch)), ready);
    return ready;
}

/// A placement with the kernels that it needs for one call, which must outlive it.
class PlacedKernels {
public:
    PlacedKernels(Machine& machine, const Placement& placement, const PlacedCall& call)
        : machine_(machine), placement_(placement), call_(call) {
        if (placement.processors == Placement::Processors::host) {
            host_ = ready_on_host(machine, call);
            return;
        }
        shares_ = placement.shares(machine.gpus(), machine.host(),
                                   [&](Device& device) -> const Resolved& {
                                       return call.resolve_chunks(machine.engine(), device);
                                   });
    }

    void run(void* const* arrays) const {
        if (host_ != nullptr) {
            return (*host_)(arrays, nullptr);
        }
        machine_.pipeline().run(call_.work(arrays), shares_, placement_.chunk_bytes,
                                placement_.staging);
    }

private:
    Machine& machine_;
    Placement placement_;
    const PlacedCall& call_;
    std::vector<DeviceShare> shares_;
    std::unique_ptr<ReadyLaunch> host_;
};

class PlacedLaunch final : public ReadyLaunch {
public:
    PlacedLaunch(Machine& machine, const Placement& placement, std::unique_ptr<PlacedCall> call)
        : ReadyLaunch(run), call_(std::move(call)), kernels_(machine, placement, *call_) {}

private:
    static void run(const ReadyLaunch& self, void* const* arrays, Stream /*stream*/) {
        static_cast<const PlacedLaunch&>(self).kernels_.run(arrays);
    }

    std::unique_ptr<PlacedCall> call_;
    PlacedKernels kernels_;
};

class PlacedProgram final : public Program {
public:
    PlacedProgram(Machine& machine, const PlacedOperation& operation, std::string_view expression)
        : machine_(machine), operation_(operation), expression_(expression) {
        read({1, 1});  // throws for invalid values
    }

    void prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const override {
        std::array<std::int64_t, 2> sizes{1, 1};
        for (std::size_t i = 0; i < operation_.size_arguments.size(); ++i) {
            const std::uint8_t cell = launch.steps[0].arguments[operation_.size_arguments[i]];
            sizes.at(i) = static_cast<std::int64_t>(launch.cells[cell]);
        }
        auto [call, placement] = read(sizes);
        ready = std::make_unique<PlacedLaunch>(machine_, placement, std::move(call));
    }

private:
    using Read = std::pair<std::unique_ptr<PlacedCall>, Placement>;

    Read read(const std::array<std::int64_t, 2>& sizes) const {
        PlacedValues values(expression_);
        auto call =
            operation_.read(values, std::span(sizes).first(operation_.size_arguments.size()));
        return {std::move(call), Placement::read(values)};
    }

    Machine& machine_;
    const PlacedOperation& operation_;
    std::string expression_;
};

/// Only the problem itself is tried: the kernels that placements use have passed the small cases.
class PlacedWorkload final : public Workload {
public:
    PlacedWorkload(Machine& machine, const PlacedOperation& operation)
        : machine_(machine), operation_(operation) {}

    [[nodiscard]] std::vector<Case> checks(const Problem& /*problem*/) const override { return {}; }

    /// Tunes the kernels that placements use.
    void prepare(const Problem& problem) const override {
        const auto call = operation_.call_of(problem);
        machine_.prepare_kernels([&](Device& device, bool is_host) {
            call->prepare(machine_.engine(), device, is_host);
        });
    }

    [[nodiscard]] Case timed(const Problem& problem) const override {
        return operation_.timed(problem);
    }

private:
    Machine& machine_;
    const PlacedOperation& operation_;
};

}  // namespace

Kernel make_placed_kernel(Machine& machine, const Family& family) {
    const std::string name =
        fmt::format("{}{}", family.name, template_suffix(PlatformKind::machine));
    return {KernelTemplate(builtin_template(name)),
            std::make_unique<PlacedWorkload>(machine, *family.placed)};
}

std::shared_ptr<const Program> load_placement(Machine& machine, const PlacedOperation& operation,
                                              std::string_view expression) {
    return std::make_shared<PlacedProgram>(machine, operation, expression);
}

void run_placed(Machine& machine, const Placement& placement, const PlacedCall& call,
                void* const* arrays) {
    PlacedKernels(machine, placement, call).run(arrays);
}

}  // namespace jitune::internal
