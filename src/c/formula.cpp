// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "c/convert.hpp"
#include "c/error.hpp"
#include "c/handles.hpp"
#include "families/formula/call_binding.hpp"
#include "formula/syntax.hpp"
#include "formula/template_writer.hpp"

using namespace jitune;
using namespace jitune::internal;

namespace {

std::vector<std::string> names_of_results(const std::vector<FormulaStatement>& statements) {
    std::vector<std::string> names;
    for (const FormulaStatement& one : statements) {
        if (std::find(names.begin(), names.end(), one.name) == names.end()) {
            names.push_back(one.name);
        }
    }
    return names;
}

}  // namespace

jitune_status jitune_formula_create(jitune_session* session, const char* text,
                                    const jitune_custom_operation* operations,
                                    size_t operation_count, jitune_formula** formula) {
    return guarded([&] {
        refuse_null(text, "jitune_formula_create: text");
        refuse_null(formula, "jitune_formula_create: formula");
        const std::vector<FormulaStatement> statements = parse_formula(text);
        const auto custom = custom_operations("jitune_formula_create", operations, operation_count);
        *formula = new jitune_formula{MapReduce(text, custom, session_of(session)), text,
                                      OwnOperations(custom), formula_inputs(statements),
                                      names_of_results(statements)};
    });
}

void jitune_formula_destroy(jitune_formula* formula) {
    delete formula;
}

jitune_status jitune_formula_inputs(const jitune_formula* formula, const char** names,
                                    size_t capacity, size_t* count) {
    return guarded([&] {
        constexpr const char* kCall = "jitune_formula_inputs";
        refuse_null(formula, kCall, "formula");
        refuse_null(count, kCall, "count");
        if (capacity > 0) {
            refuse_null(names, kCall, "names");
        }
        for (std::size_t i = 0; i < std::min(formula->inputs.size(), capacity); ++i) {
            names[i] = formula->inputs[i].c_str();
        }
        *count = formula->inputs.size();
    });
}

jitune_status jitune_formula_results(const jitune_formula* formula,
                                     const jitune_formula_argument* inputs, size_t input_count,
                                     jitune_formula_shape shape, jitune_formula_result* results,
                                     size_t capacity, size_t* count) {
    return guarded([&] {
        constexpr const char* kCall = "jitune_formula_results";
        refuse_null(formula, kCall, "formula");
        refuse_null(count, kCall, "count");
        if (capacity > 0) {
            refuse_null(results, kCall, "results");
        }
        const auto gifts = formula_gifts(
            formula->text, call_binding(formula_arguments(kCall, "inputs", inputs, input_count),
                                        formula_shape(shape), {}, formula->operations));
        for (std::size_t i = 0; i < std::min(gifts.size(), capacity); ++i) {
            results[i] = {formula->results[i].c_str(), gifts[i].is_array ? 1 : 0,
                          static_cast<jitune_type>(gifts[i].type)};
        }
        *count = gifts.size();
    });
}

jitune_status jitune_formula_launch(const jitune_formula* formula,
                                    const jitune_formula_argument* inputs, size_t input_count,
                                    jitune_formula_shape shape,
                                    const jitune_formula_argument* outputs, size_t output_count,
                                    jitune_stream stream) {
    return guarded([&] {
        constexpr const char* kCall = "jitune_formula_launch";
        refuse_null(formula, kCall, "formula");
        formula->formula(formula_arguments(kCall, "inputs", inputs, input_count),
                         formula_shape(shape),
                         formula_arguments(kCall, "outputs", outputs, output_count), stream);
    });
}

jitune_status jitune_formula_run(const jitune_formula* formula,
                                 const jitune_formula_argument* inputs, size_t input_count,
                                 jitune_formula_shape shape, const jitune_formula_argument* outputs,
                                 size_t output_count) {
    return guarded([&] {
        constexpr const char* kCall = "jitune_formula_run";
        refuse_null(formula, kCall, "formula");
        formula->formula.on_host(formula_arguments(kCall, "inputs", inputs, input_count),
                                 formula_shape(shape),
                                 formula_arguments(kCall, "outputs", outputs, output_count));
    });
}
