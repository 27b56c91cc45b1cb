// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "formula/syntax.hpp"
#include "formula/template_writer.hpp"
#include "fuzz/fuzz_target.hpp"
#include "template/kernel_template.hpp"

using namespace jitune;
using namespace jitune::internal;

namespace {

FormulaInput::Kind kind_of(LineShape shape, unsigned place) {
    using enum FormulaInput::Kind;
    return place % 5 == 4                                   ? value
           : place % 7 == 6                                 ? in_memory
           : shape == LineShape::flat                       ? array
           : place % 3 == 2                                 ? lines
           : place % 3 == 1 && shape != LineShape::segments ? places
                                                            : array;
}

/// The first byte chooses the shape of the lines, and the types and kinds of the inputs.
FormulaBinding binding_of(const std::string& formula, std::uint8_t choice) {
    FormulaBinding binding;
    binding.shape = static_cast<LineShape>(choice >> 6);
    binding.offset = choice % 2 == 0 ? ElementType::int64 : ElementType::int32;
    for (const std::string& name : formula_inputs(parse_formula(formula))) {
        const auto place = static_cast<unsigned>(binding.inputs.size()) + choice;
        binding.inputs.push_back(
            {name, kind_of(binding.shape, place), static_cast<ElementType>(place * 5 % 12)});
    }
    for (const FormulaGift& gift : formula_gifts(formula, binding)) {
        binding.outputs.push_back({gift.name, gift.type});
    }
    return binding;
}

bool is_template(const std::string& formula, const std::string& text) {
    try {
        return !KernelTemplate({formula, text, {}}).front_matter().launches.empty();
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    answers_or_refuses([&] {
        const std::uint8_t choice = size == 0 ? 0 : data[0];
        const std::string formula = size == 0 ? "" : std::string(data + 1, data + size);
        const FormulaBinding binding = binding_of(formula, choice);
        for (const PlatformKind platform : {PlatformKind::cuda, PlatformKind::host}) {
            const std::string text = formula_template(formula, binding, platform);
            const std::string code = text.substr(text.find("*/"));
            promise(std::count(code.begin(), code.end(), '{') ==
                        std::count(code.begin(), code.end(), '}'),
                    "no text leaves its braces");
            promise(std::count(code.begin(), code.end(), '#') <=
                        1 + std::count(code.begin(), code.end(), '\n'),
                    "no text is a directive");
            promise(is_template(formula, text), "each template is a template");
        }
    });
    return 0;
}
