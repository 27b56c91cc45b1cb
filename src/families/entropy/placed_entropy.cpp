// SPDX-License-Identifier: Apache-2.0
#include "families/entropy/placed_entropy.hpp"

#include <bit>
#include <utility>

#include "families/entropy/entropy_call.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "families/entropy/entropy_work.hpp"
#include "families/entropy/entropy_workload.hpp"
#include "jitune/error.hpp"
#include "spread/machine.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {

namespace {

using detail::EntropyRequest;

/// A single row as the column that has the same windows: a column can be divided into parts.
EntropyRequest divisible(EntropyRequest request) {
    if (request.rows == 1) {
        std::swap(request.rows, request.columns);
    }
    return request;
}

EntropyRequest staged_request(const EntropyRequest& whole, bool as_bytes) {
    EntropyRequest request = divisible(whole);
    request.element = as_bytes ? ElementType::uint8 : request.element;
    return request;
}

/// A placement with the kernels that it needs for one shape.
class PlacedEntropy final : public ReadyLaunch {
public:
    PlacedEntropy(Machine& machine, const Placement& placement, bool as_bytes,
                  const EntropyRequest& request)
        : ReadyLaunch(call),
          machine_(machine),
          placement_(placement),
          request_(divisible(request)),
          staged_(staged_request(request, as_bytes).element) {
        if (placement.processors == Placement::Processors::host) {
            host_ = ready_on_host(machine, sizes_of(request),
                                  resolve_entropy(machine.engine(), machine.host(), request));
            return;
        }
        const EntropyRequest staged = staged_request(request, as_bytes);
        shares_ = placement.shares(machine.gpus(), machine.host(),
                                   [&](Device& device) -> const Resolved& {
                                       return resolve_entropy(machine.engine(), device, staged);
                                   });
    }

    void run(const void* input, std::uint64_t scale, void* output) const {
        if (host_ != nullptr) {
            void* const arrays[] = {const_cast<void*>(input), argument_of(scale), output};
            return (*host_)(arrays, nullptr);
        }
        const EntropyWork work(request_, staged_, input, scale, static_cast<float*>(output));
        machine_.pipeline().run(work, shares_, placement_.chunk_bytes, placement_.staging);
    }

private:
    static void call(const ReadyLaunch& self, void* const* arrays, Stream /*stream*/) {
        static_cast<const PlacedEntropy&>(self).run(arrays[0], bits_of(arrays[1]), arrays[2]);
    }

    Machine& machine_;
    Placement placement_;
    EntropyRequest request_;
    ElementType staged_;
    std::vector<DeviceShare> shares_;
    std::unique_ptr<ReadyLaunch> host_;
};

class PlacedEntropyProgram final : public Program {
public:
    PlacedEntropyProgram(Machine& machine, PlacedValues& values)
        : machine_(machine), element_(values.element()) {
        entropy_.window = values.integer();
        entropy_.levels = values.integer();
        refuse_bad_entropy({element_, 1, 1, entropy_});
        as_bytes_ = values.word({"elements", "bytes"}) == "bytes";
        placement_ = Placement::read(values);
    }

    void prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const override {
        const auto& arguments = launch.steps[0].arguments;
        const auto size = [&](std::size_t argument) {
            return static_cast<std::int64_t>(launch.cells[arguments[argument]]);
        };
        ready = std::make_unique<PlacedEntropy>(
            machine_, placement_, as_bytes_, EntropyRequest{element_, size(1), size(2), entropy_});
    }

private:
    Machine& machine_;
    ElementType element_;
    Entropy entropy_;
    bool as_bytes_ = false;
    Placement placement_;
};

/// Only the problem itself is tried: the kernels that placements use have passed the small cases.
class PlacedEntropyWorkload final : public Workload {
public:
    explicit PlacedEntropyWorkload(Machine& machine) : machine_(machine) {}

    [[nodiscard]] std::vector<Case> checks(const Problem& /*problem*/) const override { return {}; }

    /// Tunes the kernels that placements use.
    void prepare(const Problem& problem) const override {
        const EntropyRequest request = entropy_request(problem);
        machine_.prepare_kernels([&](Device& device, bool is_host) {
            if (is_host) {
                resolve_entropy(machine_.engine(), device, request);
            }
            resolve_entropy(machine_.engine(), device, staged_request(request, false));
            if (!is_host) {
                resolve_entropy(machine_.engine(), device, staged_request(request, true));
            }
        });
    }

    [[nodiscard]] Case timed(const Problem& problem) const override {
        return EntropyWorkload().timed(problem);
    }

private:
    Machine& machine_;
};

std::shared_ptr<const Program> load(Machine& machine, PlacedValues& values) {
    return std::make_shared<PlacedEntropyProgram>(machine, values);
}

Kernel make_kernel(Machine& machine) {
    return {KernelTemplate(builtin_template("entropy.machine.cpp")),
            std::make_unique<PlacedEntropyWorkload>(machine)};
}

}  // namespace

const PlacedOperation kPlacedEntropy{load, make_kernel};

void run_placed_entropy(Machine& machine, const Placement& placement, bool as_bytes,
                        const EntropyRequest& request, const void* input, float* output) {
    PlacedEntropy(machine, placement, as_bytes, request)
        .run(input, std::bit_cast<std::uint64_t>(scale_of(request.entropy)), output);
}

}  // namespace jitune::internal
