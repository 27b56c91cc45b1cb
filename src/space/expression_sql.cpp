// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "jitune/error.hpp"
#include "space/expression.hpp"
#include "space/expression_node.hpp"

namespace jitune::internal {

namespace {

/// A pattern may repeat an operand, so nesting can multiply the text.
constexpr std::size_t kMaxLength = 1'000'000;

/// Shortest digits that read back as the same double, marked as a real: SQLite divides 1 and 1.0
/// differently. Its infinities are literals that overflow.
std::string real_text(double value) {
    if (value - value != 0) {
        return value > 0 ? "9e999" : "-9e999";
    }
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) {
        text += ".0";
    }
    return text;
}

class SqlWriter {
public:
    void write(const ExpressionNode& node) {
        if (sql_.size() > kMaxLength) {
            throw Error(ErrorKind::usage,
                        fmt::format("an expression is longer than {} bytes as SQL: simplify it",
                                    kMaxLength));
        }
        if (node.is_literal()) {
            const std::string text = to_string(to_scalar(node.datum));
            sql_ += text.front() == '-' ? "(" + text + ")" : text;
        } else if (node.is_name()) {
            sql_ += '"' + node.text + '"';
        } else {
            write_operation(node);
        }
    }

    [[nodiscard]] std::string take() { return std::move(sql_); }

private:
    void write_operation(const ExpressionNode& node) {
        const std::string_view pattern = node.operation->sql;
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            if (pattern[i] != '$') {
                sql_ += pattern[i];
                continue;
            }
            const char which = pattern[++i];
            if (which == '*' || which == '+') {
                write_list(node, which == '*' ? 0 : 1);
            } else {
                write(*node.operands[static_cast<std::size_t>(which - '0')]);
            }
        }
    }

    void write_list(const ExpressionNode& node, std::size_t first) {
        for (std::size_t i = first; i < node.operands.size(); ++i) {
            sql_ += i == first ? "" : ", ";
            write(*node.operands[i]);
        }
    }

    std::string sql_;
};

}  // namespace

std::string Expression::sql() const {
    SqlWriter writer;
    writer.write(*root_);
    return writer.take();
}

std::string to_string(const Scalar& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        return std::to_string(*integer);
    }
    if (const auto* real = std::get_if<double>(&value)) {
        return real_text(*real);
    }
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? "'" + *text + "'" : "NULL";
}

}  // namespace jitune::internal
