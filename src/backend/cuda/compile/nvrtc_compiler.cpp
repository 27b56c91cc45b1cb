// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/nvrtc_compiler.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "backend/compile_for.hpp"
#include "backend/cuda/compile/source_check.hpp"
#include "jitune/error.hpp"
#include "jitune/version.hpp"
#include "support/file_facts.hpp"

namespace jitune::internal {
namespace {

/// For calls that fail for NVRTC's own reasons, never for the source's. Throws Error(unavailable)
/// "<tried>: <call>: NVRTC_ERROR_…".
template <class... Parameters>
void call(const NvrtcTable& nvrtc, nvrtcResult (*NvrtcTable::*function)(Parameters...),
          const char* tried, std::type_identity_t<Parameters>... arguments) {
    const nvrtcResult result = (nvrtc.*function)(arguments...);
    if (result != NVRTC_SUCCESS) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("{}: {}: {}", tried, function_name(nvrtc, &(nvrtc.*function)),
                                nvrtc.nvrtcGetErrorString(result)),
                    {NativeCode::Source::nvrtc, static_cast<int>(result)});
    }
}

std::pair<int, int> version_of(const NvrtcTable& nvrtc) {
    std::pair<int, int> version;
    call(nvrtc, &NvrtcTable::nvrtcVersion, "ask for NVRTC's version", &version.first,
         &version.second);
    return version;
}

constexpr const char* kChooseTarget = "choose what NVRTC compiles for";

std::vector<int> supported_archs(const NvrtcTable& nvrtc) {
    int count = 0;
    call(nvrtc, &NvrtcTable::nvrtcGetNumSupportedArchs, kChooseTarget, &count);
    std::vector<int> archs(static_cast<std::size_t>(std::max(count, 0)));
    call(nvrtc, &NvrtcTable::nvrtcGetSupportedArchs, kChooseTarget, archs.data());
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

/// For source that is_plain() or not, and includes headers of these folders.
NvrtcTarget nvrtc_target(const NvrtcTable& nvrtc, int compute_capability, bool plain,
                         const std::vector<std::string>& folders) {
    const auto [major, minor] = version_of(nvrtc);
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

constexpr const char* kCompileKernel = "compile a kernel";

/// One program of NVRTC's: name expressions are added, it is compiled once, then read. Everything
/// that fails for NVRTC's own reasons throws Error(unavailable).
class NvrtcProgram {
public:
    NvrtcProgram(const NvrtcTable& nvrtc, const TemplateSource& source)
        : nvrtc_(nvrtc), program_(nullptr, Destroy{&nvrtc}) {
        std::vector<const char*> names;
        std::vector<const char*> texts;
        for (const auto& [name, text] : source.headers) {
            names.push_back(name.c_str());
            texts.push_back(text.c_str());
        }
        nvrtcProgram made = nullptr;
        call(nvrtc_, &NvrtcTable::nvrtcCreateProgram, kCompileKernel, &made, source.text.c_str(),
             source.name.c_str(), static_cast<int>(names.size()), texts.data(), names.data());
        program_.reset(made);
    }

    void add(const std::string& expression) {
        call(nvrtc_, &NvrtcTable::nvrtcAddNameExpression, kCompileKernel, program_.get(),
             expression.c_str());
    }

    nvrtcResult compile(const NvrtcTarget& target) {
        std::vector<const char*> options;
        for (const std::string& option : target.options) {
            options.push_back(option.c_str());
        }
        return nvrtc_.nvrtcCompileProgram(program_.get(), static_cast<int>(options.size()),
                                          options.data());
    }

    [[nodiscard]] std::string log() const {
        std::string text =
            read(&NvrtcTable::nvrtcGetProgramLogSize, &NvrtcTable::nvrtcGetProgramLog);
        while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) {
            text.pop_back();
        }
        return text;
    }

    /// The compiled image. PTX includes the NUL that ends it.
    [[nodiscard]] std::string image(bool cubin) const {
        return cubin ? read(&NvrtcTable::nvrtcGetCUBINSize, &NvrtcTable::nvrtcGetCUBIN)
                     : read(&NvrtcTable::nvrtcGetPTXSize, &NvrtcTable::nvrtcGetPTX);
    }

    /// The symbol of an added expression; empty if it names no kernel.
    [[nodiscard]] std::string lowered(const std::string& expression) const {
        const char* name = nullptr;
        const nvrtcResult result =
            nvrtc_.nvrtcGetLoweredName(program_.get(), expression.c_str(), &name);
        return result == NVRTC_SUCCESS && name != nullptr ? name : "";
    }

private:
    using GetSize = nvrtcResult (*NvrtcTable::*)(nvrtcProgram, std::size_t*);
    using GetText = nvrtcResult (*NvrtcTable::*)(nvrtcProgram, char*);

    [[nodiscard]] std::string read(GetSize size, GetText text) const {
        std::size_t bytes = 0;
        call(nvrtc_, size, kCompileKernel, program_.get(), &bytes);
        std::string result(bytes, '\0');
        call(nvrtc_, text, kCompileKernel, program_.get(), result.data());
        return result;
    }

    struct Destroy {
        const NvrtcTable* nvrtc;
        void operator()(nvrtcProgram program) const noexcept {
            nvrtc->nvrtcDestroyProgram(&program);
        }
    };

    const NvrtcTable& nvrtc_;
    std::unique_ptr<std::remove_pointer_t<nvrtcProgram>, Destroy> program_;
};

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
                                            const NvrtcTarget& target,
                                            std::span<const Instance> instances) {
    NvrtcProgram program(nvrtc, source);
    for (const Instance& instance : instances) {
        for (const std::string& expression : instance.expressions) {
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
        for (const Instance& instance : instances) {
            outcomes.push_back(outcome_of(program, instance, shared));
        }
        return outcomes;
    }
    std::string log = program.log();
    if (log.empty()) {
        log = fmt::format("nvrtcCompileProgram: {}", nvrtc.nvrtcGetErrorString(result));
    }
    log = with_own_lines(std::move(log), source, instances.front());
    return {instances.size(), CompileFailure{std::move(log)}};
}

/// Whether NVRTC gave up: it does where it cannot write a precompiled header, too.
bool is_catastrophe(const std::vector<CompileOutcome>& outcomes) {
    return std::any_of(outcomes.begin(), outcomes.end(), [](const CompileOutcome& outcome) {
        const auto* failure = std::get_if<CompileFailure>(&outcome);
        return failure != nullptr && failure->log.find("atastrophic error") != std::string::npos;
    });
}

/// A source that begins with these headers of the toolkit, to be compiled as instances of it are.
class HeadedSource {
public:
    HeadedSource(const NvrtcTable& nvrtc, const TemplateSource& source, std::string headers,
                 PrecompiledHeaders* kept)
        : nvrtc_(nvrtc), source_(source), headers_(std::move(headers)), kept_(kept) {}

    [[nodiscard]] std::vector<CompileOutcome> compile(const NvrtcTarget& target,
                                                      std::span<const Instance> instances) const {
        const std::vector<std::string> options =
            kept_ == nullptr ? std::vector<std::string>() : kept_->options(headers_);
        if (options.empty()) {
            return compile_program(nvrtc_, source_with(""), target, instances);
        }
        NvrtcTarget keeping = target;
        keeping.options.insert(keeping.options.end(), options.begin(), options.end());
        auto outcomes =
            compile_program(nvrtc_, source_with(PrecompiledHeaders::kMark), keeping, instances);
        kept_->note(headers_);
        if (is_catastrophe(outcomes)) {
            outcomes = compile_program(nvrtc_, source_with(""), target, instances);
            if (!is_catastrophe(outcomes)) {
                kept_->give_up();
            }
        }
        return outcomes;
    }

private:
    [[nodiscard]] TemplateSource source_with(std::string_view mark) const {
        TemplateSource source = source_;
        source.text = with_headers_first(source_, headers_, mark);
        return source;
    }

    const NvrtcTable& nvrtc_;
    const TemplateSource& source_;
    const std::string headers_;
    PrecompiledHeaders* const kept_;
};

std::string flaw_of_instance(const Instance& instance) {
    for (const std::string& expression : instance.expressions) {
        if (auto flaw = flaw_of_expression(expression)) {
            return *std::move(flaw);
        }
    }
    return "";
}

/// See the other nvrtc_target_of(). `folders` are those of the toolkit, if `source` needs them.
NvrtcTarget nvrtc_target_of(const NvrtcTable& nvrtc, const TemplateSource& source,
                            std::vector<std::string> folders,
                            const std::vector<std::string>& options, int compute_capability) {
    folders.insert(folders.begin(), source.include_folders.begin(), source.include_folders.end());
    NvrtcTarget target =
        nvrtc_target(nvrtc, compute_capability, folders.empty() && is_plain(source), folders);
    const auto is_standard = [](const std::string& option) {
        return option.starts_with("--std=") || option.starts_with("-std=");
    };
    if (std::any_of(options.begin(), options.end(), is_standard)) {
        std::erase_if(target.options, is_standard);  // the template's takes the place of jitune's
    }
    target.options.insert(target.options.end(), options.begin(), options.end());
    return target;
}

/// The file of the loaded library; empty where the system does not tell.
std::filesystem::path file_of(const NvrtcTable& nvrtc) {
    Dl_info place{};
    const bool known = ::dladdr(reinterpret_cast<void*>(nvrtc.nvrtcVersion), &place) != 0;
    return known ? place.dli_fname : "";
}

/// The toolkit's folders, if a source includes others than its own headers.
std::vector<std::string> toolkit_for(const NvrtcTable& nvrtc,
                                     std::span<const OtherInclude> others) {
    return others.empty() ? std::vector<std::string>() : toolkit_folders(nvrtc);
}

std::string key_of_file(const std::filesystem::path& nvrtc) {
    const char* const chosen = ::secure_getenv("JITUNE_NVRTC");
    return fmt::format("NVRTC of jitune {} JITUNE_NVRTC=\"{}\" {}", JITUNE_VERSION_STRING,
                       chosen != nullptr ? chosen : "", file_stamp(nvrtc));
}

}  // namespace

ToolkitLibrary nvrtc_library() {
    return {.name = "NVRTC",
            .wanted = "libnvrtc 12 or later",
            .variable = "JITUNE_NVRTC",
            .names = {"libnvrtc.so.13", "libnvrtc.so.12"},
            .plain_name = "libnvrtc.so",
            .folders = {"lib64"},
            .pip_folder = "cuda_nvrtc"};
}

std::shared_ptr<const NvrtcTable> load_nvrtc() {
    return resolved_table<NvrtcTable>(open_toolkit_library(nvrtc_library()));
}

bool keeps_headers(const NvrtcTable& nvrtc) {
    return version_of(nvrtc) >= std::pair(12, 8);
}

std::string nvrtc_version(const NvrtcTable& nvrtc) {
    const auto [major, minor] = version_of(nvrtc);
    return fmt::format("NVRTC {}.{}", major, minor);
}

std::string nvrtc_key(const NvrtcTable& nvrtc) {
    return key_of_file(file_of(nvrtc));
}

std::vector<std::string> toolkit_folders(const NvrtcTable& nvrtc) {
    const char* const chosen = ::secure_getenv("CUDA_PATH");
    return toolkit_folders(chosen != nullptr ? chosen : "", file_of(nvrtc));
}

bool is_present_nvrtc(const std::string& key) {
    constexpr std::string_view kFile = " file=";
    const std::size_t file = key.rfind(kFile);
    return file != std::string::npos && key == key_of_file(key.substr(file + kFile.size()));
}

NvrtcTarget nvrtc_target_of(const NvrtcTable& nvrtc, const TemplateSource& source,
                            const std::vector<std::string>& options, int compute_capability) {
    return nvrtc_target_of(nvrtc, source, toolkit_for(nvrtc, other_includes(source)), options,
                           compute_capability);
}

std::vector<CompileOutcome> compile_instances(const NvrtcTable& nvrtc, const TemplateSource& source,
                                              std::span<const Instance> instances,
                                              int compute_capability, PrecompiledHeaders* kept) {
    const std::vector<OtherInclude> others = other_includes(source);
    std::vector<std::string> folders = toolkit_for(nvrtc, others);
    if (auto flaw = flaw_of_source(source, others, folders)) {
        return {instances.size(), CompileFailure{*flaw}};
    }
    const HeadedSource headed(nvrtc, source, leading_toolkit_headers(source, folders), kept);
    const NvrtcTarget target =
        nvrtc_target_of(nvrtc, source, std::move(folders),
                        instances.empty() ? std::vector<std::string>() : instances.front().options,
                        compute_capability);
    return compile_together(instances, flaw_of_instance, [&](std::span<const Instance> some) {
        return CompiledTogether{headed.compile(target, some)};
    });
}

}  // namespace jitune::internal
