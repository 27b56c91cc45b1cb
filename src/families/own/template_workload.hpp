// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backend/platform.hpp"
#include "families/own/call_capture.hpp"
#include "families/own/fill_data.hpp"
#include "template/kernel_template.hpp"
#include "template/problem.hpp"
#include "template/workload.hpp"
#include "tuning/record/binary_cache.hpp"

namespace jitune::internal {

/// The host function of a template's author that computes the right outputs. The host's compiler
/// compiles it, and this process calls it. Thread-safe.
class HostReference {
public:
    explicit HostReference(TemplateSource source);

    /// Calls the function of `instance` with these cells as its arguments, in order: pointers to
    /// host memory and scalars. Throws Error(compile) with the compiler's message, Error(device) if
    /// the function takes another number of arguments, Error(unavailable) without a compiler.
    void call(const Instance& instance, std::span<const std::uint64_t> cells);

private:
    TemplateSource source_;
    std::unique_ptr<Platform> host_;
    BinaryCache binaries_;
};

/// The data and the right answers of a user's template, as its front matter describes them.
/// Candidates are also checked on small awkward sizes, at the least alignment that the template
/// allows, unless a constraint names a size or a file gives an argument. Safe from any thread.
class TemplateWorkload : public Workload {
public:
    /// `host` is the source of the HostReference; `folder` holds the files of the front matter.
    /// Throws Error(usage) for a template without [reference].
    /// With `call`, candidates are timed on its data and compared with its outputs.
    TemplateWorkload(const KernelTemplate& kernel, TemplateSource host,
                     std::filesystem::path folder, std::optional<CapturedCall> call = {});

    [[nodiscard]] std::vector<Case> checks(const Problem& problem) const override;
    [[nodiscard]] Case timed(const Problem& problem) const override;

private:
    using Bytes = std::vector<std::byte>;

    /// With `call`, the case has its data and outputs.
    [[nodiscard]] Case make_case(const Problem& problem, bool misaligned,
                                 const CapturedCall* call) const;
    [[nodiscard]] Fill bound_fill(const ArgumentSpec& argument, const Problem& problem) const;
    [[nodiscard]] CaseArgument case_argument(const ArgumentSpec& argument, const Problem& problem,
                                             bool misaligned, std::uint64_t seed,
                                             const CapturedCall* call) const;
    [[nodiscard]] ElementType type_of(const ArgumentSpec& argument, const Problem& problem) const;
    [[nodiscard]] std::size_t count_of(const ArgumentSpec& argument, const Problem& problem) const;
    [[nodiscard]] std::vector<Bytes> answers(const Case& one, const Problem& problem,
                                             const CapturedCall* call) const;
    [[nodiscard]] std::vector<Bytes> host_answers(const Case& one, const Problem& problem) const;
    [[nodiscard]] bool is_for_one_size_only() const;
    /// True if all fills have values at these sizes: "random 0..n - 2" has none if n is 1.
    [[nodiscard]] bool has_fills(const Problem& problem) const;
    /// True if the rows of all texture objects are aligned as GPUs need it at these sizes.
    [[nodiscard]] bool has_textures(const Problem& problem) const;
    /// Nothing if the value depends on more than the problem, or is no integer.
    [[nodiscard]] std::optional<std::int64_t> integer(const Expression& expression,
                                                      const Problem& problem) const;

    KernelTemplate kernel_;
    std::filesystem::path folder_;
    std::unique_ptr<HostReference> host_;
    std::optional<CapturedCall> call_;
};

}  // namespace jitune::internal
