// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device.hpp"
#include "backend/launch.hpp"
#include "backend/shared_library.hpp"
#include "support/hash.hpp"

namespace jitune::internal {

inline constexpr std::string_view kEntryPrefix = "jitune_entry_";

/// The compiler's option with which an image tells the parameters of its kernels: for each entry a
/// section parameter_section() with their number and the bytes of each, as std::uint64_t.
inline constexpr const char* kTellsParameters = "-DJITUNE_TELLS_PARAMETERS";
std::string parameter_section(std::string_view symbol);

/// The C symbol of an expression: "jitune_entry_<instance>_<step>".
std::string entry_symbol(std::size_t instance, std::size_t step);

/// The text of an instance that a name expression must not contain; empty if there is none.
/// Expressions end up in source code: only names, template arguments and types get there.
std::string expression_objection(const Instance& instance);

/// The text to compile: the template and, for each expression, a C function that calls what the
/// expression names with arguments given as cuLaunchKernel's are:
///
///     int jitune_entry_0_0(void** arguments, int count);
///
/// It answers the number of arguments that the kernel takes and calls it if `count` is that number.
std::string translation_unit(const TemplateSource& source, std::span<const Instance> instances);

/// A compiled shared object in this process's memory, whose for_each() runs on HostThreads. Its
/// code stays for good: threads of OpenMP, in a user's kernel, and exit handlers must never lose
/// theirs.
class HostImage {
public:
    /// Throws Error(device) for an image that is not a shared object of this machine or does not
    /// load. `digest` is that of the image.
    HostImage(const std::string& image, const Digest& digest);

    /// Throws Error(device) if the image has no such symbol.
    [[nodiscard]] void* find(const std::string& symbol) const;

private:
    SharedLibrary library_;
};

/// Runs the steps of a launch one after the other on the calling thread.
class HostProgram final : public Program {
public:
    /// Takes the addresses of the arguments, as cuLaunchKernel does, and their number. If the
    /// kernel takes another number of arguments, returns that number and does nothing else.
    using Entry = int (*)(void** arguments, int count);

    /// Throws Error(device) as HostImage::find does.
    HostProgram(std::shared_ptr<const HostImage> image, const std::vector<std::string>& symbols);

    void prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const override;

    /// Throws Error(device) if the program has no such entry.
    [[nodiscard]] Entry entry(std::uint32_t index) const;

private:
    std::shared_ptr<const HostImage> image_;
    std::vector<Entry> entries_;
};

}  // namespace jitune::internal
