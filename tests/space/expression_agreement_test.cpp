// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "space/expression.hpp"

namespace jitune::internal {
namespace {

using Values = std::map<std::string, Scalar>;

constexpr std::int64_t kSmallestInteger = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

/// SQLite's own answers, with values as columns of a table of one row.
class Sqlite {
public:
    Sqlite() {
        sqlite3* raw = nullptr;
        sqlite3_open(":memory:", &raw);
        database_.reset(raw);
    }

    void set(const Values& values) {
        std::string columns;
        std::string marks;
        for (const auto& [name, value] : values) {
            columns += fmt::format("{}\"{}\"", columns.empty() ? "" : ", ", name);
            marks += marks.empty() ? "?" : ", ?";
        }
        run(fmt::format("DROP TABLE IF EXISTS t; CREATE TABLE t({})", columns));
        const Statement insert = prepare(fmt::format("INSERT INTO t VALUES ({})", marks));
        int index = 1;
        for (const auto& [name, value] : values) {
            bind(insert.get(), index++, value);
        }
        sqlite3_step(insert.get());
    }

    Scalar answer(const std::string& sql) {
        const Statement statement = prepare("SELECT " + sql + " FROM t");
        if (sqlite3_step(statement.get()) != SQLITE_ROW) {
            throw std::runtime_error(sqlite3_errmsg(database_.get()));
        }
        switch (sqlite3_column_type(statement.get(), 0)) {
            case SQLITE_INTEGER:
                return std::int64_t{sqlite3_column_int64(statement.get(), 0)};
            case SQLITE_FLOAT:
                return sqlite3_column_double(statement.get(), 0);
            case SQLITE_TEXT:
                return std::string(
                    reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), 0)));
            default:
                return std::monostate{};
        }
    }

private:
    struct Closer {
        void operator()(sqlite3* database) const { sqlite3_close(database); }
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    using Statement = std::unique_ptr<sqlite3_stmt, Closer>;

    void run(const std::string& sql) {
        ASSERT_EQ(sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sql;
    }

    Statement prepare(const std::string& sql) {
        sqlite3_stmt* raw = nullptr;
        sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &raw, nullptr);
        if (raw == nullptr) {
            throw std::runtime_error(sql + ": " + sqlite3_errmsg(database_.get()));
        }
        return Statement(raw);
    }

    static void bind(sqlite3_stmt* statement, int index, const Scalar& value) {
        if (const auto* integer = std::get_if<std::int64_t>(&value)) {
            sqlite3_bind_int64(statement, index, *integer);
        } else if (const auto* real = std::get_if<double>(&value)) {
            sqlite3_bind_double(statement, index, *real);
        } else if (const auto* text = std::get_if<std::string>(&value)) {
            sqlite3_bind_text(statement, index, text->c_str(), -1, SQLITE_TRANSIENT);
        }
    }

    std::unique_ptr<sqlite3, Closer> database_;
};

/// Random texts of the language, from the loosest operators down.
class Generator {
public:
    /// `of_sqlite`: without ceil_div, which SQLite lacks, and abs, which fails there for -2^63.
    enum class Functions { all, of_sqlite };

    explicit Generator(std::uint64_t seed, Functions functions = Functions::all)
        : random_(seed), sqlite_only_(functions == Functions::of_sqlite) {}

    std::string expression(int depth) {
        const auto level = [&](auto&& self, std::size_t i) -> std::string {
            static const std::vector<std::vector<std::string>> kLevels{
                {"OR"}, {"AND"}, {"="}, {"+", "-"}, {"*", "/", "%"}};
            if (i == kLevels.size()) {
                return unary(depth);
            }
            const std::string left = self(self, i + 1);
            if (kLevels[i].front() == "=") {
                return compared(left, self(self, i + 1), depth);
            }
            return chance(6) ? left + " " + pick(kLevels[i]) + " " + self(self, i + 1) : left;
        };
        return level(level, 0);
    }

    Values values() {
        return {{"a", integer()},    {"b", integer()},   {"c", integer()},
                {"r", real()},       {"s", text()},      {"missing", std::monostate{}},
                {"x", any_scalar()}, {"y", any_scalar()}};
    }

    std::int64_t integer() {
        static const std::vector<std::int64_t> kEdges{0,
                                                      1,
                                                      -1,
                                                      2,
                                                      32,
                                                      1024,
                                                      kLargest,
                                                      kSmallestInteger,
                                                      kSmallestInteger + 1,
                                                      kLargest - 1,
                                                      1LL << 53};
        return chance(2) ? pick(kEdges) : static_cast<std::int64_t>(below(41)) - 20;
    }

    bool chance(std::size_t one_in) { return below(one_in) == 0; }

private:
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

    template <class T>
    const T& pick(const std::vector<T>& choices) {
        return choices[below(choices.size())];
    }

    double real() {
        static const std::vector<double> kEdges{0.0,
                                                0.5,
                                                -1.0,
                                                1.5,
                                                0.1,
                                                9223372036854775808.0,
                                                -9223372036854775808.0,
                                                9007199254740992.0,
                                                1e300,
                                                -7.25};
        return pick(kEdges);
    }

    std::string text() {
        return pick(std::vector<std::string>{"tree", "last_block", "A", "e5", "_"});
    }

    Scalar any_scalar() {
        switch (below(4)) {
            case 0:
                return real();
            case 1:
                return text();
            case 2:
                return integer();
            default:
                return std::monostate{};
        }
    }

    std::string compared(const std::string& left, const std::string& right, int depth) {
        if (chance(3)) {
            return left + " " +
                   pick(std::vector<std::string>{"=", "==", "!=", "<>", "<", "<=", ">", ">="}) +
                   " " + right;
        }
        if (depth > 0 && chance(8)) {
            return left + (chance(2) ? " NOT IN (" : " in (") + right + ", " +
                   expression(depth - 1) + ", 1, 2.0, 'tree')";
        }
        return left;
    }

    std::string unary(int depth) { return chance(8) ? "- " + primary(depth) : primary(depth); }

    std::string primary(int depth) {
        if (depth == 0 || chance(3)) {
            return chance(2) ? pick(std::vector<std::string>{"a", "b", "c", "r", "s", "x", "y",
                                                             "missing"})
                             : literal();
        }
        const auto nested = [&] { return expression(depth - 1); };
        switch (below(7)) {
            case 0:
                return fmt::format("min({}, {}, {})", nested(), nested(), nested());
            case 1:
                return fmt::format("MAX({}, {})", nested(), nested());
            case 2:
                return (sqlite_only_ ? "(" : "abs(") + nested() + ")";
            case 3:
                return fmt::format("iif({}, {}, {})", nested(), nested(), nested());
            case 4:
                return fmt::format("(NOT {})", nested());
            case 5:
                return division_up(nested(), nested());
            default:
                return fmt::format("({})", nested());
        }
    }

    std::string division_up(const std::string& a, const std::string& b) const {
        return sqlite_only_ ? fmt::format("((({0}) + ({1}) - 1) / ({1}))", a, b)
                            : fmt::format("ceil_div({0}, {1})", a, b);
    }

    std::string literal() {
        return pick(std::vector<std::string>{"0", "1", "2", "7", "32", "1024",
                                             "9223372036854775807", "0.5", "1.0", "2.5e3", "1e19",
                                             "'tree'", "'zip'"});
    }

    std::mt19937_64 random_;
    bool sqlite_only_;
};

TEST(ExpressionAgreement, AgreesWithSqliteOnRandomExpressions) {
    Sqlite sqlite;
    Generator generate(20240601);
    std::map<std::size_t, int> kinds;
    for (int i = 0; i < 4000; ++i) {
        const std::string text = generate.expression(i % 3);
        const Values values = generate.values();
        SCOPED_TRACE(text);
        for (const auto& [name, value] : values) {
            SCOPED_TRACE(fmt::format("{} = {}", name, to_string(value)));
        }
        sqlite.set(values);
        const Expression expression = Expression::parse(text);
        const Scalar expected = sqlite.answer(expression.sql());
        ASSERT_EQ(expression.bind(values).constant_value(), expected) << expression.sql();
        ++kinds[expected.index()];

        Values some;
        for (const auto& value : values) {
            if (generate.chance(2)) {
                some.insert(value);
            }
        }
        const Expression partial = expression.bind(some);
        ASSERT_EQ(sqlite.answer(partial.sql()), expected) << partial.sql();
        ASSERT_EQ(partial.bind(values).constant_value(), expected);
        ASSERT_EQ(Expression::constant(expected).constant_value(), expected);
    }
    EXPECT_EQ(kinds.size(), 4U) << "each kind of value should have come up";
}

TEST(ExpressionAgreement, ReadsItsTextAsSqliteDoes) {
    Sqlite sqlite;
    Generator generate(7, Generator::Functions::of_sqlite);
    for (int i = 0; i < 3000; ++i) {
        const std::string text = generate.expression(2);
        const Values values = generate.values();
        sqlite.set(values);
        ASSERT_EQ(Expression::parse(text).bind(values).constant_value(), sqlite.answer(text))
            << text;
    }
}

TEST(ExpressionAgreement, EvaluatesSlotsAsItBindsValues) {
    Generator generate(11);
    const std::vector<std::string> names{"c", "a", "b"};
    const Values others{{"r", 2.5},
                        {"s", "tree"},
                        {"x", std::monostate{}},
                        {"y", std::int64_t{3}},
                        {"missing", std::monostate{}}};
    for (int i = 0; i < 2000; ++i) {
        const Expression expression = Expression::parse(generate.expression(2)).bind(others);
        const std::vector<std::int64_t> slots{generate.integer(), generate.integer(),
                                              generate.integer()};
        const Values values{{"c", slots[0]}, {"a", slots[1]}, {"b", slots[2]}};
        ASSERT_EQ(expression.for_slots(names).evaluate(slots),
                  expression.bind(values).constant_value())
            << expression.text();
    }
}

}  // namespace
}  // namespace jitune::internal
