// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backend/platform_kind.hpp"
#include "formula/binding.hpp"
#include "formula/plan.hpp"
#include "formula/stage_text.hpp"

namespace jitune::internal {

/// What the templates of a formula are written from.
struct FormulaParts {
    FormulaParts(std::string_view formula, const FormulaBinding& binding, PlatformKind platform);

    std::string_view formula;
    const FormulaBinding& binding;
    PlatformKind platform;
    FormulaPlan plan;
    StageWorks kernels, references;
    bool is_exact = true;  ///< small whole numbers as data give results without rounding
    std::map<std::string_view, const FormulaOperation*> own;  ///< operations that it uses

    /// Bytes that all stages read and write for each element, at least 1.
    [[nodiscard]] std::size_t bytes() const;
    /// The same of the stage with the most.
    [[nodiscard]] std::size_t most_bytes() const;
    /// The widest element of an array, in bytes.
    [[nodiscard]] std::size_t widest() const;
    /// The largest need of a stage.
    [[nodiscard]] BlockWork block_work() const;
};

/// The first lines of the front matter: kernel, backend, summary, sizes.
std::string head_of(const FormulaParts& parts);

/// The tables [types.element] and [arguments], without what the kind of kernel adds.
std::string arguments_of(const FormulaParts& parts);

/// The source of the formula's own operations.
std::string sources_of(const FormulaParts& parts);

/// "in_x, out_r".
std::string names_of(const std::vector<StageMember>& members);
/// "const float* in_x, float* out_r, ".
std::string declared(const std::vector<StageMember>& members);
/// "\"in_x\", \"out_r\", ".
std::string quoted(const std::vector<StageMember>& members);

/// Each writes the whole template.
std::string device_template(const FormulaParts& parts);
std::string device_lines_template(const FormulaParts& parts);
std::string host_template(const FormulaParts& parts);

}  // namespace jitune::internal
