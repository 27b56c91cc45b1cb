// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/nvrtc_compiler.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "backend/cuda/compile/nvrtc_program.hpp"
#include "backend/cuda/compile/nvrtc_target.hpp"
#include "backend/cuda/compile/source_check.hpp"
#include "backend/cuda/compile/toolkit_headers.hpp"
#include "jitune/version.hpp"
#include "support/file_stamp.hpp"

namespace jitune::internal {
namespace {

using Batch = std::span<const Instance* const>;

std::vector<CompileOutcome> same_for_all(std::size_t count, const CompileFailure& failure) {
    return std::vector<CompileOutcome>(count, failure);
}

/// One instance of a program that compiled.
CompileOutcome outcome_of(const NvrtcProgram& program, const Instance& instance, Binary binary) {
    for (const std::string& expression : instance.expressions) {
        std::string symbol = program.lowered(expression);
        if (symbol.empty()) {
            return CompileFailure{fmt::format("{}: names no kernel", expression)};
        }
        binary.symbols.push_back(std::move(symbol));
    }
    return binary;
}

/// NVRTC's log, in which lines of the program that NVRTC makes of name expressions are replaced by
/// lines of the template.
std::string with_own_lines(std::string log, const TemplateSource& source, const Instance& one) {
    constexpr std::string_view kMade = "__nv_name_map(";
    for (std::size_t at = log.find(kMade); at != log.npos && !one.lines.empty();
         at = log.find(kMade, at + source.name.size())) {
        const std::size_t end = std::min(log.find(')', at), log.size() - 1);
        log.replace(at, end - at, fmt::format("{}({}", source.name, one.lines.front()));
    }
    return log;
}

std::vector<CompileOutcome> compile_program(const NvrtcTable& nvrtc, const TemplateSource& source,
                                            const NvrtcTarget& target, Batch batch) {
    NvrtcProgram program(nvrtc, source);
    for (const Instance* instance : batch) {
        for (const std::string& expression : instance->expressions) {
            program.add(expression);
        }
    }
    const nvrtcResult result = program.compile(target);
    if (result == NVRTC_SUCCESS) {
        const Binary shared{
            .format = target.cubin ? "cubin" : "ptx",
            .image = std::make_shared<const std::string>(program.image(target.cubin)),
            .symbols = {},
            .log = std::make_shared<const std::string>(program.log())};
        std::vector<CompileOutcome> outcomes;
        for (const Instance* instance : batch) {
            outcomes.push_back(outcome_of(program, *instance, shared));
        }
        return outcomes;
    }
    std::string log = program.log();
    if (log.empty()) {
        log = fmt::format("nvrtcCompileProgram: {}", nvrtc.nvrtcGetErrorString(result));
    }
    log = with_own_lines(std::move(log), source, *batch.front());
    return same_for_all(batch.size(), CompileFailure{std::move(log)});
}

std::vector<CompileOutcome> compile_batch(const NvrtcTable& nvrtc, const TemplateSource& source,
                                          const NvrtcTarget& target, Batch batch) {
    std::vector<CompileOutcome> outcomes = compile_program(nvrtc, source, target, batch);
    for (std::size_t i = 0; batch.size() > 1 && i < batch.size(); ++i) {
        if (std::holds_alternative<CompileFailure>(outcomes[i])) {
            outcomes[i] = compile_program(nvrtc, source, target, batch.subspan(i, 1)).front();
        }
    }
    return outcomes;
}

std::optional<std::string> flaw_of_instance(const Instance& instance) {
    for (const std::string& expression : instance.expressions) {
        if (auto flaw = flaw_of_expression(expression)) {
            return flaw;
        }
    }
    return std::nullopt;
}

/// The toolkit's folders, if `source` includes more than its own headers.
std::vector<std::string> toolkit_of(const NvrtcTable& nvrtc, const TemplateSource& source) {
    return includes_others(source) ? toolkit_folders(nvrtc) : std::vector<std::string>();
}

std::string key_of_file(const std::filesystem::path& nvrtc) {
    const char* const chosen = ::secure_getenv("JITUNE_NVRTC");
    return fmt::format("NVRTC of jitune {} JITUNE_NVRTC=\"{}\" {}", JITUNE_VERSION_STRING,
                       chosen != nullptr ? chosen : "", file_stamp(nvrtc));
}

}  // namespace

std::string nvrtc_version(const NvrtcTable& nvrtc) {
    int major = 0;
    int minor = 0;
    check(nvrtc, nvrtc.nvrtcVersion(&major, &minor), "nvrtcVersion", "ask for NVRTC's version");
    return fmt::format("NVRTC {}.{}", major, minor);
}

std::string nvrtc_key(const NvrtcTable& nvrtc) {
    Dl_info place{};
    const bool known = ::dladdr(reinterpret_cast<void*>(nvrtc.nvrtcVersion), &place) != 0;
    return key_of_file(known ? place.dli_fname : "");
}

bool is_present_nvrtc(const std::string& key) {
    constexpr std::string_view kFile = " file=";
    const std::size_t file = key.rfind(kFile);
    return file != std::string::npos && key == key_of_file(key.substr(file + kFile.size()));
}

NvrtcTarget nvrtc_target_of(const NvrtcTable& nvrtc, const TemplateSource& source,
                            const std::vector<std::string>& options, int compute_capability) {
    std::vector<std::string> folders = toolkit_of(nvrtc, source);
    folders.insert(folders.begin(), source.include_folders.begin(), source.include_folders.end());
    NvrtcTarget target =
        nvrtc_target(nvrtc, compute_capability, folders.empty() && is_plain(source), folders);
    target.add(options);
    return target;
}

std::vector<CompileOutcome> compile_instances(const NvrtcTable& nvrtc, const TemplateSource& source,
                                              std::span<const Instance> instances,
                                              int compute_capability) {
    if (auto flaw = flaw_of_source(source, toolkit_of(nvrtc, source))) {
        return same_for_all(instances.size(), CompileFailure{*flaw});
    }
    const NvrtcTarget target = nvrtc_target_of(
        nvrtc, source, instances.empty() ? std::vector<std::string>() : instances.front().options,
        compute_capability);
    std::vector<CompileOutcome> outcomes(instances.size());
    std::vector<const Instance*> batch;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        if (auto flaw = flaw_of_instance(instances[i])) {
            outcomes[i] = CompileFailure{*flaw};
        } else {
            batch.push_back(&instances[i]);
            places.push_back(i);
        }
    }
    if (!batch.empty()) {
        std::vector<CompileOutcome> compiled = compile_batch(nvrtc, source, target, batch);
        for (std::size_t i = 0; i < places.size(); ++i) {
            outcomes[places[i]] = std::move(compiled[i]);
        }
    }
    return outcomes;
}

}  // namespace jitune::internal
