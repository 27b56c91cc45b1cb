// SPDX-License-Identifier: Apache-2.0
#include "formula/template_writer.hpp"

#include <algorithm>
#include <optional>

#include "formula/template_parts.hpp"

namespace jitune::internal {

std::string formula_template(std::string_view formula, const FormulaBinding& binding,
                             PlatformKind platform) {
    const FormulaParts parts(formula, binding, platform);
    if (runs_on_cpu(platform)) {
        return host_template(parts);
    }
    return binding.shape == LineShape::flat ? device_template(parts) : device_lines_template(parts);
}

std::vector<FormulaGift> formula_gifts(std::string_view formula, FormulaBinding binding) {
    const std::vector<FormulaStatement> statements = parse_formula(formula);
    std::vector<FormulaGift> gifts;
    for (const FormulaStatement& one : statements) {
        const bool is_known = std::any_of(gifts.begin(), gifts.end(), [&](const FormulaGift& gift) {
            return gift.name == one.name;
        });
        if (is_known) {
            continue;
        }
        const FormulaInput* const input = binding.input(one.name);
        gifts.push_back({one.name, one.is_array, ElementType::float64});
        if (one.is_array) {
            gifts.back().type = input == nullptr ? ElementType::float64 : input->type;
            binding.outputs.push_back({one.name, gifts.back().type});
        }
    }
    const FormulaPlan plan = plan_formula(formula, statements, binding);
    // The values of an array may be made of those of another, which may be made of another's.
    std::optional<StageWorks> works;
    bool is_settled = false;
    for (std::size_t round = 0; !is_settled && round <= binding.outputs.size(); ++round) {
        works.emplace(formula, plan, binding, StageStyle::host);
        is_settled = true;
        for (FormulaOutput& one : binding.outputs) {
            const ElementType type = works->written_types().at(one.name);
            if (binding.input(one.name) == nullptr && one.type != type) {
                one.type = type;
                is_settled = false;
            }
        }
    }
    for (FormulaGift& gift : gifts) {
        if (const FormulaOutput* const array = binding.output(gift.name)) {
            gift.type = array->type;
        }
        for (std::size_t k = 0; k < plan.results.size(); ++k) {
            gift.type = plan.results[k].name == gift.name ? works->types()[k] : gift.type;
        }
    }
    return gifts;
}

}  // namespace jitune::internal
