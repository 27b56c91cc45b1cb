// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/python_piece.hpp"

#include <fmt/format.h>

#include "cli/formats/python_functions.hpp"
#include "template/name_rules.hpp"

namespace jitune::internal {

namespace {

using PieceLevel = PythonPiece::Level;
using PieceType = PythonPiece::Type;

}  // namespace

std::string PythonPiece::within(PieceLevel least) const {
    return level < least ? "(" + text + ")" : text;
}

PythonPiece literal_piece(const PythonValue& value) {
    const auto number = [](std::string text, bool is_negative, PieceType type) {
        return PythonPiece{std::move(text), is_negative ? PieceLevel::sum : PieceLevel::primary,
                           type, is_negative};
    };
    if (const auto* const integer = value.integer()) {
        return number(std::to_string(*integer), *integer < 0, PieceType::integer);
    }
    if (const bool* const truth = value.truth()) {
        return number(*truth ? "1" : "0", false, PieceType::truth);
    }
    if (const double* const real = value.real()) {
        std::string text = fmt::format("{}", *real);
        if (text.find('n') != std::string::npos) {  // inf, nan
            throw PythonFault("this value is not finite");
        }
        text += text.find_first_of(".e") == std::string::npos ? ".0" : "";
        return number(std::move(text), *real < 0, PieceType::real);
    }
    if (value.text() == nullptr) {
        throw PythonFault("a list is not expected here");
    }
    if (!is_identifier(*value.text())) {
        throw PythonFault(
            fmt::format("the text '{}' is not a name of letters, digits and _", *value.text()));
    }
    return {"'" + *value.text() + "'", PieceLevel::primary, PieceType::text, false};
}

PythonPiece operation_piece(const PythonPiece& a, std::string_view symbol, const PythonPiece& b,
                            PieceLevel level, PieceType type) {
    const auto tighter = static_cast<PieceLevel>(static_cast<int>(level) + 1);
    return {fmt::format("{} {} {}", a.within(level), symbol, b.within(tighter)), level, type,
            a.can_be_negative || b.can_be_negative};
}

PieceType wider_type(const PythonPiece& a, const PythonPiece& b) {
    return a.type == PieceType::real || b.type == PieceType::real ? PieceType::real
                                                                  : PieceType::integer;
}

PythonPiece negated(const PythonPiece& a) {
    const PythonPiece zero{"0", PieceLevel::primary, PieceType::integer, true};
    return operation_piece(zero, "-", a, PieceLevel::sum, wider_type(zero, a));
}

PythonPiece times(const PythonPiece& a, const std::optional<PythonPiece>& b) {
    return b ? operation_piece(a, "*", *b, PieceLevel::product, wider_type(a, *b)) : a;
}

PythonPiece floor_remainder(const PythonPiece& a, const PythonPiece& b) {
    const PythonPiece plain = operation_piece(a, "%", b, PieceLevel::product);
    return a.can_be_negative || b.can_be_negative
               ? operation_piece(operation_piece(plain, "+", b, PieceLevel::sum), "%", b,
                                 PieceLevel::product)
               : plain;
}

PythonPiece floor_quotient(const PythonPiece& a, const PythonPiece& b) {
    return a.can_be_negative || b.can_be_negative
               ? operation_piece(operation_piece(a, "-", floor_remainder(a, b), PieceLevel::sum),
                                 "/", b, PieceLevel::product)
               : operation_piece(a, "/", b, PieceLevel::product);
}

PythonPiece real_quotient(const PythonPiece& a, const PythonPiece& b) {
    const PythonPiece one{"1.0", PieceLevel::primary, PieceType::real, false};
    return operation_piece(wider_type(a, b) == PieceType::real ? a : times(a, one), "/", b,
                           PieceLevel::product, PieceType::real);
}

}  // namespace jitune::internal
