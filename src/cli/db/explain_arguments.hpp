// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/app/common_options.hpp"
#include "cli/sweep/sweep_family.hpp"

namespace jitune::internal {

/// The arguments of `jitune db explain`: a problem of a kernel in a file, or of a family.
class ExplainArguments : public CommonArguments {
public:
    ExplainArguments();
    // The options refer to it.
    ExplainArguments(const ExplainArguments&) = delete;
    ExplainArguments& operator=(const ExplainArguments&) = delete;

    std::vector<Option> command_options();

    /// The one problem of a family that the arguments name. Throws Error(usage), also for an option
    /// of another family or of a file.
    [[nodiscard]] SweepProblem problem_of_family() const;
    /// Throws Error(usage) for an option of a family, none of which goes with a file.
    void refuse_options_of_families() const;

    std::string file;  ///< empty: of a family
    std::vector<std::string> types;
    std::vector<std::string> sizes;
    std::vector<std::string> compile_options;  ///< of a file
    std::string device;

private:
    /// An option that only one family has, with its argument if it was given.
    struct OwnOption {
        const SweepFamily* family;
        const FamilyArgument* argument;
        std::optional<std::string> value = {};
    };

    void refuse_options_of_others(const SweepFamily* family, const std::string& named) const;

    std::string kernel_ = "reduce";
    std::vector<OwnOption> own_;
};

}  // namespace jitune::internal
