// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_program.hpp"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "backend/elf_section.hpp"
#include "backend/host/host_threads.hpp"
#include "jitune/error.hpp"
#include "support/file_descriptor.hpp"
#include "support/line_directive.hpp"
#include "support/temp_dir.hpp"
#include "support/thread_signals.hpp"

namespace jitune::internal {
namespace {

// Braced initialisers are evaluated from left to right, so each argument takes the next address.
constexpr std::string_view kCall = R"(
namespace jitune_host {

template <class... Parameters>
struct Call {
    Call(void (*kernel)(Parameters...), Parameters... arguments) { kernel(arguments...); }
};

template <class... Parameters>
int call(void (*kernel)(Parameters...), void** arguments, int count) {
    if (count == sizeof...(Parameters)) {
        Call<Parameters...>{kernel, *static_cast<Parameters*>(*arguments++)...};
    }
    return sizeof...(Parameters);
}

template <unsigned long kCount>
struct ParameterBytes {
    unsigned long of[kCount];
};

template <class... Parameters>
constexpr ParameterBytes<1 + sizeof...(Parameters)> parameter_bytes(void (*)(Parameters...)) {
    return {{sizeof...(Parameters), sizeof(Parameters)...}};
}

}  // namespace jitune_host

#ifdef JITUNE_TELLS_PARAMETERS
#define JITUNE_TELL_PARAMETERS(name, kernel)                \
    __attribute__((section(name), used)) static constexpr \
        auto jitune_host_bytes = jitune_host::parameter_bytes(kernel);
#else
#define JITUNE_TELL_PARAMETERS(name, kernel)
#endif
)";

// The long names leave the short ones to kernels. One line, so that a compiler that cannot call the
// kernel so speaks of the line that names it.
constexpr const char* kEntry =
    "extern \"C\" __attribute__((visibility(\"default\"))) "
    "int {}(void** jitune_host_arguments, int jitune_host_count) {{ "
    "constexpr auto jitune_host_kernel = &{}; JITUNE_TELL_PARAMETERS(\"{}\", jitune_host_kernel) "
    "return jitune_host::call(jitune_host_kernel, jitune_host_arguments, jitune_host_count); }}\n";

bool allowed(char character) {
    constexpr std::string_view kPunctuation = "_:<>,-*& ";
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') ||
           kPunctuation.find(character) != std::string_view::npos;
}

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
#error "jitune's host backend supports x86-64 and AArch64"
#endif

/// Why the image cannot be one of ours; empty if it can. The loader trusts what it maps: a header
/// that leads past the end of the file would be a crash in it.
std::string_view objection(const std::string& image) {
    if (const std::string_view flaw = flaw_of_elf(image, kMachine); !flaw.empty()) {
        return flaw;
    }
    Elf64_Ehdr header{};
    read_at(image, 0, header);
    if (header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr)) {
        return "it is no shared object";
    }
    bool dynamic = false;
    for (std::size_t index = 0; index < header.e_phnum; ++index) {
        Elf64_Phdr segment{};
        if (!is_within(image, header.e_phoff, header.e_phnum * sizeof segment) ||
            !read_at(image, header.e_phoff + index * sizeof segment, segment)) {
            return "it is cut off in its program headers";
        }
        if (!is_within(image, segment.p_offset, segment.p_filesz)) {
            return "it is cut off in a segment";
        }
        dynamic = dynamic || segment.p_type == PT_DYNAMIC;
    }
    return dynamic ? "" : "it is not a shared object: it has no dynamic section";
}

/// A file without a name, executable even where every folder is mounted noexec; none where it
/// cannot hold the content.
FileDescriptor memory_file(std::string_view content) {
    FileDescriptor file(::memfd_create("jitune", MFD_CLOEXEC));
    const FileSizeGuard guard;
    while (file.number() >= 0 && !content.empty()) {
        const ssize_t count = ::write(file.number(), content.data(), content.size());
        if (count <= 0) {
            file.close();
        } else {
            content.remove_prefix(static_cast<std::size_t>(count));
        }
    }
    return file;
}

/// The loader takes a path that it has seen for the library that it has, and the numbers of closed
/// files come again: so the path spells the content, a bit as "//" or "/.".
std::string path_of(const FileDescriptor& file, const Digest& digest) {
    std::string path = "/proc/self/fd";
    for (const std::byte byte : digest) {
        for (int bit = 0; bit < 8; ++bit) {
            path += (std::to_integer<int>(byte) >> bit & 1) != 0 ? "/." : "//";
        }
    }
    return fmt::format("{}/{}", path, file.number());
}

SharedLibrary map(const std::string& image, const Digest& digest) {
    if (const std::string_view reason = objection(image); !reason.empty()) {
        throw Error(ErrorKind::device,
                    fmt::format("load compiled code of {} bytes: {}", image.size(), reason));
    }
    const FileDescriptor memory = memory_file(image);
    std::vector<std::string> paths;
    if (memory.number() >= 0) {
        paths.push_back(path_of(memory, digest));
    }
    try {
        return SharedLibrary::open(paths);
    } catch (const Error&) {
        // A system may forbid to execute memory files. If there is another reason, opening a file
        // tells it more readably.
    }
    try {
        const TempDir directory;
        const std::string file = directory.write(hex(digest) + ".so", image).string();
        return SharedLibrary::open({file});
    } catch (const Error& error) {
        throw Error(ErrorKind::device, fmt::format("load compiled code: {}", error.what()),
                    error.native_code());
    }
}

/// The steps of a launch with the addresses of all arguments but the arrays. Runs them one after
/// the other on the calling thread.
class HostLaunch final : public ReadyLaunch {
public:
    HostLaunch() : ReadyLaunch(call) {}

    /// Throws Error(device) if the program has no such entry; nothing has changed then.
    void set(const HostProgram& program, const Launch& launch) {
        std::array<HostProgram::Entry, kMaxLaunchSteps> entries{};
        for (std::size_t i = 0; i < launch.step_count; ++i) {
            entries[i] = program.entry(launch.steps[i].entry);
        }
        cells_ = launch.cells;
        step_count_ = launch.step_count;
        for (std::size_t i = 0; i < step_count_; ++i) {
            steps_[i].entry = entries[i];
            steps_[i].arguments.set(launch, launch.steps[i], cells_);
        }
    }

private:
    struct Step {
        HostProgram::Entry entry;
        ArgumentList arguments;
    };

    static void call(const ReadyLaunch& self, void* const* arrays, Stream /*stream*/) {
        const auto& launch = static_cast<const HostLaunch&>(self);
        for (std::size_t i = 0; i < launch.step_count_; ++i) {
            const Step& step = launch.steps_[i];
            ArgumentList::Addresses arguments;
            step.arguments.fill(arguments, arrays);
            const int taken = step.entry(arguments.data(), step.arguments.count());
            if (taken != step.arguments.count()) [[unlikely]] {
                refuse(i, taken, step.arguments.count());
            }
        }
    }

    static void refuse(std::size_t step, int taken, int given) {
        throw Error(
            ErrorKind::device,
            fmt::format("launch step {}: the kernel takes {} arguments, its template's front "
                        "matter gives it {}",
                        step, taken, given));
    }

    std::size_t step_count_ = 0;
    std::array<Step, kMaxLaunchSteps> steps_;
    Cells cells_{};
};

}  // namespace

std::string entry_symbol(std::size_t instance, std::size_t step) {
    return fmt::format("{}{}_{}", kEntryPrefix, instance, step);
}

std::string parameter_section(std::string_view symbol) {
    return fmt::format(".jitune.parameters.{}", symbol);
}

std::string expression_objection(const Instance& instance) {
    for (const std::string& expression : instance.expressions) {
        const auto bad = std::find_if_not(expression.begin(), expression.end(), allowed);
        if (bad != expression.end()) {
            return fmt::format(
                "name expression refused: character {:#04x} at position {}; it may have letters, "
                "digits, spaces and any of _:<>,-*&",
                static_cast<unsigned char>(*bad), bad - expression.begin());
        }
    }
    return "";
}

std::string translation_unit(const TemplateSource& source, std::span<const Instance> instances) {
    std::string text = fmt::format("{}{}\n{}", line_directive(1, source.name), source.text,
                                   line_directive(1, "entry points"));
    text += kCall;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        for (std::size_t k = 0; k < instances[i].expressions.size(); ++k) {
            if (k < instances[i].lines.size()) {
                text += line_directive(instances[i].lines[k], source.name);
            }
            const std::string symbol = entry_symbol(i, k);
            text +=
                fmt::format(kEntry, symbol, instances[i].expressions[k], parameter_section(symbol));
        }
    }
    return text;
}

HostImage::HostImage(const std::string& image, const Digest& digest)
    : library_(map(image, digest)) {
    using Run = decltype(&HostThreads::run_here);
    if (void* const place = library_.find("jitune_run_on_threads")) {
        std::atomic_ref(*static_cast<Run*>(place)) = &HostThreads::run_here;
    }
}

void* HostImage::find(const std::string& symbol) const {
    // A search by handle goes on in the libraries that the image needs: only our names may match.
    void* address = symbol.starts_with(kEntryPrefix) ? library_.find(symbol.c_str()) : nullptr;
    if (address == nullptr) {
        throw Error(ErrorKind::device, fmt::format("load compiled code: no symbol {}", symbol));
    }
    return address;
}

HostProgram::HostProgram(std::shared_ptr<const HostImage> image,
                         const std::vector<std::string>& symbols)
    : image_(std::move(image)) {
    for (const std::string& symbol : symbols) {
        entries_.push_back(reinterpret_cast<Entry>(image_->find(symbol)));
    }
}

HostProgram::Entry HostProgram::entry(std::uint32_t index) const {
    if (index >= entries_.size()) {
        throw Error(ErrorKind::device, fmt::format("launch a kernel: entry {} of a program with {}",
                                                   index, entries_.size()));
    }
    return entries_[index];
}

void HostProgram::prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const {
    auto* ours = dynamic_cast<HostLaunch*>(ready.get());
    auto made = ours == nullptr ? std::make_unique<HostLaunch>() : nullptr;
    (made ? *made : *ours).set(*this, launch);
    if (made) {
        ready = std::move(made);
    }
}

}  // namespace jitune::internal
