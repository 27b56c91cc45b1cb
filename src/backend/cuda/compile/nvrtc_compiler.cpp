// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/nvrtc_compiler.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "backend/cuda/compile/source_check.hpp"
#include "jitune/error.hpp"
#include "jitune/version.hpp"
#include "support/file_facts.hpp"

namespace jitune::internal {
namespace {

constexpr const char* kChooseTarget = "choose what NVRTC compiles for";

std::vector<int> supported_archs(const NvrtcTable& nvrtc) {
    int count = 0;
    check(nvrtc, nvrtc.nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs",
          kChooseTarget);
    std::vector<int> archs(static_cast<std::size_t>(std::max(count, 0)));
    check(nvrtc, nvrtc.nvrtcGetSupportedArchs(archs.data()), "nvrtcGetSupportedArchs",
          kChooseTarget);
    return archs;
}

/// The newest architecture that a device of `wanted` can run; 0 if there is none.
int best_arch(const std::vector<int>& archs, int wanted) {
    int best = 0;
    for (const int arch : archs) {
        best = arch <= wanted ? std::max(best, arch) : best;
    }
    return best;
}

constexpr const char* kCompileKernel = "compile a kernel";

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

void check(const NvrtcTable& nvrtc, nvrtcResult result, const char* call, const char* tried) {
    if (result != NVRTC_SUCCESS) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("{}: {}: {}", tried, call, nvrtc.nvrtcGetErrorString(result)),
                    {NativeCode::Source::nvrtc, static_cast<int>(result)});
    }
}

void NvrtcTarget::add(const std::vector<std::string>& more) {
    const auto is_standard = [](const std::string& option) {
        return option.starts_with("--std=") || option.starts_with("-std=");
    };
    if (std::any_of(more.begin(), more.end(), is_standard)) {
        std::erase_if(options, is_standard);
    }
    options.insert(options.end(), more.begin(), more.end());
}

NvrtcTarget nvrtc_target(const NvrtcTable& nvrtc, int compute_capability, bool plain,
                         const std::vector<std::string>& folders) {
    int major = 0;
    int minor = 0;
    check(nvrtc, nvrtc.nvrtcVersion(&major, &minor), "nvrtcVersion", kChooseTarget);
    const int arch = best_arch(supported_archs(nvrtc), compute_capability);
    if (arch == 0) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("NVRTC {}.{} cannot compile for compute capability {}.{}: set "
                                "JITUNE_NVRTC to an older one",
                                major, minor, compute_capability / 10, compute_capability % 10));
    }
    NvrtcTarget target;
    target.cubin = arch == compute_capability;
    target.options = {
        fmt::format("--gpu-architecture={}_{}", target.cubin ? "sm" : "compute", arch),
        major >= 12 ? "--std=c++20" : "--std=c++17",
        "--device-as-default-execution-space",
    };
    if (plain && (major > 12 || (major == 12 && minor >= 4))) {
        target.options.emplace_back("--minimal");  // saves a third of a small program's time
    }
    for (const std::string& folder : folders) {
        target.options.push_back("--include-path=" + folder);
    }
    if (major >= 13 && folders.empty()) {  // their headers include those beside them
        target.options.emplace_back("--no-source-include");
    }
    return target;
}

NvrtcProgram::NvrtcProgram(const NvrtcTable& nvrtc, const TemplateSource& source)
    : nvrtc_(nvrtc), handle_(nvrtc) {
    std::vector<const char*> names;
    std::vector<const char*> texts;
    for (const auto& [name, text] : source.headers) {
        names.push_back(name.c_str());
        texts.push_back(text.c_str());
    }
    const nvrtcResult result =
        nvrtc_.nvrtcCreateProgram(&handle_.program, source.text.c_str(), source.name.c_str(),
                                  static_cast<int>(names.size()), texts.data(), names.data());
    check(nvrtc_, result, "nvrtcCreateProgram", kCompileKernel);
}

void NvrtcProgram::add(const std::string& expression) {
    check(nvrtc_, nvrtc_.nvrtcAddNameExpression(handle_.program, expression.c_str()),
          "nvrtcAddNameExpression", kCompileKernel);
}

nvrtcResult NvrtcProgram::compile(const NvrtcTarget& target) {
    std::vector<const char*> options;
    for (const std::string& option : target.options) {
        options.push_back(option.c_str());
    }
    return nvrtc_.nvrtcCompileProgram(handle_.program, static_cast<int>(options.size()),
                                      options.data());
}

std::string NvrtcProgram::read(const char* call, GetSize size, GetText text) const {
    std::size_t bytes = 0;
    check(nvrtc_, size(handle_.program, &bytes), call, kCompileKernel);
    std::string result(bytes, '\0');
    check(nvrtc_, text(handle_.program, result.data()), call, kCompileKernel);
    return result;
}

std::string NvrtcProgram::log() const {
    std::string text =
        read("nvrtcGetProgramLog", nvrtc_.nvrtcGetProgramLogSize, nvrtc_.nvrtcGetProgramLog);
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) {
        text.pop_back();
    }
    return text;
}

std::string NvrtcProgram::image(bool cubin) const {
    return cubin ? read("nvrtcGetCUBIN", nvrtc_.nvrtcGetCUBINSize, nvrtc_.nvrtcGetCUBIN)
                 : read("nvrtcGetPTX", nvrtc_.nvrtcGetPTXSize, nvrtc_.nvrtcGetPTX);
}

std::string NvrtcProgram::lowered(const std::string& expression) const {
    const char* name = nullptr;
    const nvrtcResult result =
        nvrtc_.nvrtcGetLoweredName(handle_.program, expression.c_str(), &name);
    return result == NVRTC_SUCCESS && name != nullptr ? name : "";
}

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
