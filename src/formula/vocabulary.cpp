// SPDX-License-Identifier: Apache-2.0
#include "formula/vocabulary.hpp"

#include <algorithm>
#include <array>

namespace jitune::internal {

namespace {

using Function = FormulaFunction::Kind;
using Operation = FormulaOperation::Kind;

constexpr std::array kFunctions{
    FormulaFunction{"abs", Function::same, 1, 1},
    FormulaFunction{"fabs", Function::real, 1, 1},
    FormulaFunction{"min", Function::same, 2, 8},
    FormulaFunction{"max", Function::same, 2, 8},
    FormulaFunction{"fmin", Function::real, 2, 2},
    FormulaFunction{"fmax", Function::real, 2, 2},
    FormulaFunction{"where", Function::select, 3, 3},
    FormulaFunction{"isnan", Function::predicate, 1, 1},
    FormulaFunction{"isinf", Function::predicate, 1, 1},
    FormulaFunction{"isfinite", Function::predicate, 1, 1},
    FormulaFunction{"sqrt", Function::real, 1, 1},
    FormulaFunction{"rsqrt", Function::real, 1, 1},
    FormulaFunction{"cbrt", Function::real, 1, 1},
    FormulaFunction{"exp", Function::real, 1, 1},
    FormulaFunction{"exp2", Function::real, 1, 1},
    FormulaFunction{"expm1", Function::real, 1, 1},
    FormulaFunction{"log", Function::real, 1, 1},
    FormulaFunction{"log2", Function::real, 1, 1},
    FormulaFunction{"log10", Function::real, 1, 1},
    FormulaFunction{"log1p", Function::real, 1, 1},
    FormulaFunction{"sin", Function::real, 1, 1},
    FormulaFunction{"cos", Function::real, 1, 1},
    FormulaFunction{"tan", Function::real, 1, 1},
    FormulaFunction{"asin", Function::real, 1, 1},
    FormulaFunction{"acos", Function::real, 1, 1},
    FormulaFunction{"atan", Function::real, 1, 1},
    FormulaFunction{"sinh", Function::real, 1, 1},
    FormulaFunction{"cosh", Function::real, 1, 1},
    FormulaFunction{"tanh", Function::real, 1, 1},
    FormulaFunction{"asinh", Function::real, 1, 1},
    FormulaFunction{"acosh", Function::real, 1, 1},
    FormulaFunction{"atanh", Function::real, 1, 1},
    FormulaFunction{"erf", Function::real, 1, 1},
    FormulaFunction{"erfc", Function::real, 1, 1},
    FormulaFunction{"tgamma", Function::real, 1, 1},
    FormulaFunction{"lgamma", Function::real, 1, 1},
    FormulaFunction{"floor", Function::real, 1, 1},
    FormulaFunction{"ceil", Function::real, 1, 1},
    FormulaFunction{"trunc", Function::real, 1, 1},
    FormulaFunction{"rint", Function::real, 1, 1},
    FormulaFunction{"pow", Function::real, 2, 2},
    FormulaFunction{"atan2", Function::real, 2, 2},
    FormulaFunction{"fmod", Function::real, 2, 2},
    FormulaFunction{"hypot", Function::real, 2, 2},
    FormulaFunction{"copysign", Function::real, 2, 2},
    FormulaFunction{"fma", Function::real, 3, 3},
};

constexpr std::array kOperations{
    FormulaOperation{"sum", Operation::total, "Sum"},
    FormulaOperation{"product", Operation::total, "Product"},
    FormulaOperation{"min", Operation::total, "Min"},
    FormulaOperation{"max", Operation::total, "Max"},
    FormulaOperation{"sum_of_squares", Operation::total, "SumOfSquares"},
    FormulaOperation{"sum_abs", Operation::total, "SumAbs"},
    FormulaOperation{"max_abs", Operation::total, "MaxAbs"},
    FormulaOperation{"mean", Operation::real, "Mean"},
    FormulaOperation{"norm", Operation::real, "Norm"},
    FormulaOperation{"var", Operation::real, "Variance"},
    FormulaOperation{"std", Operation::real, "Deviation"},
    FormulaOperation{"log_sum_exp", Operation::real, "LogSumExp"},
    FormulaOperation{"arg_min", Operation::place, "ArgMin"},
    FormulaOperation{"arg_max", Operation::place, "ArgMax"},
    FormulaOperation{"all", Operation::test, "All"},
    FormulaOperation{"any", Operation::test, "Any"},
    FormulaOperation{"count_nonzero", Operation::count, "CountNonzero"},
};

struct CastName {
    std::string_view name;
    ElementType type;
};
constexpr std::array kCasts{
    CastName{"int32", ElementType::int32},     CastName{"uint32", ElementType::uint32},
    CastName{"int64", ElementType::int64},     CastName{"uint64", ElementType::uint64},
    CastName{"float32", ElementType::float32}, CastName{"float64", ElementType::float64},
    CastName{"int", ElementType::int32},       CastName{"unsigned", ElementType::uint32},
    CastName{"float", ElementType::float32},   CastName{"double", ElementType::float64},
};

constexpr std::array<std::string_view, 7> kWords{"i", "n", "and", "or", "not", "true", "false"};

template <class Table>
auto find(const Table& table, std::string_view name) {
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.name == name; });
    return found == table.end() ? nullptr : &*found;
}

template <class Table>
std::string names_of(const Table& table) {
    std::string names;
    for (const auto& row : table) {
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
    return names;
}

}  // namespace

const FormulaFunction* formula_function(std::string_view name) {
    const FormulaFunction* const found = find(kFunctions, name);
    if (found != nullptr || !name.ends_with('f')) {
        return found;
    }
    const FormulaFunction* const plain = find(kFunctions, name.substr(0, name.size() - 1));
    return plain != nullptr && plain->kind == Function::real ? plain : nullptr;
}

const FormulaOperation* formula_operation(std::string_view name,
                                          std::span<const FormulaOperation> own) {
    const FormulaOperation* const found = find(kOperations, name);
    if (found != nullptr) {
        return found;
    }
    const auto one =
        std::find_if(own.begin(), own.end(), [&](const auto& row) { return row.name == name; });
    return one == own.end() ? nullptr : &*one;
}

std::string_view formula_operation_like(std::string_view letters) {
    for (const FormulaOperation& one : kOperations) {
        std::string name(one.name);
        std::erase(name, '_');
        if (name == letters) {
            return one.name;
        }
    }
    return "";
}

std::optional<ElementType> formula_cast_type(std::string_view name) {
    const CastName* const found = find(kCasts, name);
    return found == nullptr ? std::nullopt : std::optional(found->type);
}

bool is_formula_word(std::string_view name) {
    return std::find(kWords.begin(), kWords.end(), name) != kWords.end() ||
           formula_function(name) != nullptr || formula_operation(name) != nullptr ||
           formula_cast_type(name);
}

std::string formula_function_names() {
    return names_of(kFunctions);
}

std::string formula_operation_names() {
    return names_of(kOperations);
}

}  // namespace jitune::internal
