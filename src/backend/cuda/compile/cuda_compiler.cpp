// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/cuda_compiler.hpp"

#include <optional>
#include <utility>

#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "support/process_end.hpp"

namespace jitune::internal {

namespace {

constexpr const char* kCapability = "compute_capability";

CompilerName name_of(const NvrtcTable& nvrtc) {
    return {nvrtc_version(nvrtc), nvrtc_key(nvrtc)};
}

}  // namespace

OwnCompiler make_cuda_compiler() {
    const std::shared_ptr<const NvrtcTable> nvrtc = load_nvrtc();
    return {name_of(*nvrtc), [nvrtc](const DeviceInfo& device, const TemplateSource& source,
                                     std::span<const Instance> instances) {
                return compile_instances(*nvrtc, source, instances,
                                         static_cast<int>(device.attributes.at(kCapability)));
            }};
}

std::vector<CompileOutcome> CudaCompiler::compile(int compute_capability,
                                                  const TemplateSource& source,
                                                  std::span<const Instance> instances,
                                                  CompileCall& call) {
    if (remote_ != nullptr) {
        DeviceInfo device;
        device.platform = PlatformKind::cuda;
        device.attributes = {{kCapability, compute_capability}};
        if (auto outcomes = remote_->compile(device, source, instances, call)) {
            return *std::move(outcomes);
        }
    }
    const NvrtcTable& table = nvrtc();
    const process_end::Work work;
    std::optional<process_end::FirstUse> first;
    if (!is_used_) {
        first.emplace();
    }
    auto outcomes = compile_instances(table, source, instances, compute_capability);
    process_end::come_before_destructors();  // later compiles register some, too
    is_used_ = true;
    return outcomes;
}

CompilerName CudaCompiler::name() {
    std::optional<CompilerName> name = remote_ == nullptr ? std::nullopt : remote_->name();
    return name ? *std::move(name) : name_of(nvrtc());
}

void CudaCompiler::expect(std::size_t threads) {
    if (remote_ != nullptr) {
        remote_->expect(threads);
    }
}

const NvrtcTable& CudaCompiler::nvrtc() {
    const std::lock_guard lock(mutex_);
    if (!table_) {
        const process_end::FirstUse load;
        table_ = loader_();
    }
    return *table_;
}

}  // namespace jitune::internal
