// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "families/own/captured_call.hpp"
#include "families/own/host_reference.hpp"
#include "template/kernel_template.hpp"
#include "template/output_compare.hpp"
#include "template/workload.hpp"

namespace jitune::internal {

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

    [[nodiscard]] Case make_case(const Problem& problem, bool misaligned) const;
    [[nodiscard]] Fill bound_fill(const ArgumentSpec& argument, const Problem& problem) const;
    [[nodiscard]] CaseArgument case_argument(const ArgumentSpec& argument, const Problem& problem,
                                             bool misaligned, std::uint64_t seed) const;
    [[nodiscard]] ElementType type_of(const ArgumentSpec& argument, const Problem& problem) const;
    [[nodiscard]] std::size_t count_of(const ArgumentSpec& argument, const Problem& problem) const;
    [[nodiscard]] std::vector<Bytes> answers(const Case& one, const Problem& problem) const;
    [[nodiscard]] std::vector<Bytes> host_answers(const Case& one, const Problem& problem) const;
    [[nodiscard]] bool is_for_one_size_only() const;
    /// True if all fills have values at these sizes: "random 0..n - 2" has none if n is 1.
    [[nodiscard]] bool has_fills(const Problem& problem) const;
    /// True if the rows of all texture objects are aligned as GPUs need it at these sizes.
    [[nodiscard]] bool has_textures(const Problem& problem) const;
    [[nodiscard]] Case captured_case(const Problem& problem) const;

    KernelTemplate kernel_;
    std::filesystem::path folder_;
    std::unique_ptr<HostReference> host_;
    std::optional<CapturedCall> call_;
};

}  // namespace jitune::internal
