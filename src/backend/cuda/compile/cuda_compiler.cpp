// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/cuda_compiler.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "support/process_end.hpp"

namespace jitune::internal {
namespace {

constexpr const char* kCapability = "compute_capability";

CompilerName name_of(const NvrtcTable& nvrtc) {
    return {nvrtc_version(nvrtc), nvrtc_key(nvrtc)};
}

/// True for options that only NVRTC has.
bool is_unknown_to_nvcc(std::string_view option) {
    constexpr std::array<std::string_view, 3> kOwn{"--device-as-default-execution-space",
                                                   "--minimal", "--no-source-include"};
    return std::find(kOwn.begin(), kOwn.end(), option) != kOwn.end();
}

/// The name of the first kernel, without template arguments and namespaces.
std::string name_of(const Instance& instance) {
    const std::string& whole = instance.expressions.front();
    const std::string name = whole.substr(0, whole.find('<'));
    const std::size_t colon = name.rfind(':');
    return name.substr(colon == std::string::npos ? 0 : colon + 1);
}

/// Takes the address of each kernel, because nvcc then instantiates its template.
std::string entries_of(const Instance& instance) {
    std::string lines;
    for (std::size_t i = 0; i < instance.expressions.size(); ++i) {
        std::string_view name = instance.expressions[i];
        name.remove_prefix(name.starts_with('&') ? 1 : 0);
        if (name.find('<') != std::string_view::npos) {
            lines +=
                fmt::format("const void* const jitune_entry_{} = (const void*)({});\n", i, name);
        }
    }
    return lines.empty() ? ""
                         : "\n#ifndef __CUDACC_RTC__  // for nvcc; NVRTC is asked by name\n" +
                               lines + "#endif\n";
}

/// Without the toolkit's own folders, which nvcc has already.
std::vector<std::string> nvcc_options(const NvrtcTarget& target, const TemplateSource& source) {
    constexpr std::string_view kFolder = "--include-path=";
    std::vector<std::string> options;
    for (const std::string& option : target.options) {
        const bool is_folder = option.starts_with(kFolder);
        const bool is_own = std::find(source.include_folders.begin(), source.include_folders.end(),
                                      option.substr(is_folder ? kFolder.size() : 0)) !=
                            source.include_folders.end();
        if (!is_unknown_to_nvcc(option) && (!is_folder || is_own)) {
            options.push_back(option);
        }
    }
    return options;
}

}  // namespace

OwnCompiler make_cuda_compiler(const std::filesystem::path& folder) {
    const std::shared_ptr<const NvrtcTable> nvrtc = load_nvrtc();
    const auto kept = folder.empty() || !keeps_headers(*nvrtc)
                          ? nullptr
                          : std::make_shared<PrecompiledHeaders>(folder);
    return {name_of(*nvrtc), [nvrtc, kept](const DeviceInfo& device, const TemplateSource& source,
                                           std::span<const Instance> instances) {
                return compile_instances(*nvrtc, source, instances,
                                         static_cast<int>(device.attributes.at(kCapability)),
                                         kept.get());
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

CompileRecipe make_cuda_recipe(const DeviceInfo& device, const TemplateSource& source,
                               const Instance& instance) {
    return make_cuda_recipe(*load_nvrtc(), device, source, instance);
}

CompileRecipe make_cuda_recipe(const NvrtcTable& nvrtc, const DeviceInfo& device,
                               const TemplateSource& source, const Instance& instance) {
    const NvrtcTarget target =
        nvrtc_target_of(nvrtc, source, instance.options,
                        static_cast<int>(device.attributes.at("compute_capability")));
    const std::string headers = leading_toolkit_headers(source, toolkit_folders(nvrtc));
    CompileRecipe recipe{.file = "kernel.cu",
                         .text = with_headers_first(source, headers, "") + entries_of(instance),
                         .binary = target.cubin ? "kernel.cubin" : "kernel.ptx",
                         .command = {"nvcc", target.cubin ? "-cubin" : "-ptx", "-Iinclude"},
                         .notes = {},
                         .profiler = {"ncu", "--set", "full", "--import-source", "yes", "-k",
                                      "regex:" + name_of(instance)}};
    const std::vector<std::string> options = nvcc_options(target, source);
    recipe.command.insert(recipe.command.end(), options.begin(), options.end());
    recipe.command.insert(recipe.command.end(), {"-o", recipe.binary, recipe.file});
    recipe.notes = {
        fmt::format("jitune compiles with {}: {}", nvrtc_version(nvrtc),
                    shell_text(target.options)),
        "For NVRTC a function without __device__ is one for the device; for nvcc it is one for the "
        "host."};
    return recipe;
}

}  // namespace jitune::internal
