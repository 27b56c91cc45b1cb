// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "space/value.hpp"

namespace jitune::internal {

/// A Scalar that borrows its text, so that evaluation copies 16 bytes and allocates nothing. The
/// functions below are SQLite's arithmetic, comparisons and logic on it.
struct Datum {
    enum class Kind : std::uint8_t { null, integer, real, text };

    Datum() = default;
    explicit Datum(std::int64_t value) : kind(Kind::integer), integer(value) {}
    explicit Datum(const std::string* value) : kind(Kind::text), text(value) {}
    /// NULL for a NaN.
    explicit Datum(double value);

    [[nodiscard]] bool is_null() const { return kind == Kind::null; }
    [[nodiscard]] bool is_integer() const { return kind == Kind::integer; }
    [[nodiscard]] bool is_text() const { return kind == Kind::text; }
    [[nodiscard]] bool is_true() const;
    [[nodiscard]] bool is_false() const { return !is_null() && !is_true(); }

    Kind kind = Kind::null;
    union {
        std::int64_t integer = 0;
        double real;
        const std::string* text;
    };
};

Scalar to_scalar(Datum value);
Datum truth(bool value);

Datum add(Datum a, Datum b);
Datum subtract(Datum a, Datum b);
Datum multiply(Datum a, Datum b);
Datum divide(Datum a, Datum b);
Datum remainder(Datum a, Datum b);

/// |a|; NULL for -2^63, integer or real: SQLite refuses the abs() of the integer.
Datum absolute(Datum a);

/// < 0, 0 or > 0; neither may be NULL. Numbers compare by exact value and come before text.
int compare(Datum a, Datum b);

}  // namespace jitune::internal
