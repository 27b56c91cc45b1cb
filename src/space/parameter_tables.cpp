// SPDX-License-Identifier: Apache-2.0
#include "space/parameter_tables.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

/// A space of more than 1 GiB is a mistake in its constraints.
constexpr std::size_t kMaxCombinations = (std::size_t{1} << 30) / sizeof(std::int64_t);
constexpr int kSample = 1000;
constexpr int kPeriod = 1000;  // steps between two looks at how many there were

// The column of values has no type, so that SQLite compares it without conversions. "#" cannot
// clash with it, since no parameter can have that name.

/// The key of a row is the index of its value times the parameter's stride. So the keys of a
/// combination add up to its number in the space.
std::string create_table(std::size_t number, const Parameter& parameter, std::int64_t stride) {
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < parameter.values.size(); ++i) {
        const Scalar value =
            std::visit([](const auto& held) { return Scalar(held); }, parameter.values[i]);
        rows.push_back(fmt::format("({}, {})", static_cast<std::int64_t>(i) * stride,
                                   Expression::constant(value).sql()));
    }
    return fmt::format(
        "CREATE TABLE p{0} (\"#\" INTEGER PRIMARY KEY, \"{1}\");"
        "INSERT INTO p{0} VALUES {2};",
        number, parameter.name, fmt::join(rows, ", "));
}

/// SQLite runs a CROSS JOIN as nested loops in the order of its tables, and tests each constraint
/// in the first loop that knows all its names.
std::string select(const std::string& result, const JoinGroup& group) {
    std::vector<std::string> tables;
    for (const std::size_t index : group.parameters) {
        tables.push_back(fmt::format("p{}", index));
    }
    std::vector<std::string> conditions;
    for (const Expression& constraint : group.constraints) {
        conditions.push_back(constraint.sql());
    }
    return fmt::format("SELECT {} FROM {}{}{}", result, fmt::join(tables, " CROSS JOIN "),
                       conditions.empty() ? "" : " WHERE ", fmt::join(conditions, " AND "));
}

/// Every sum of one number of each list.
std::vector<std::int64_t> sums_of(const std::vector<std::int64_t>& a,
                                  const std::vector<std::int64_t>& b) {
    std::vector<std::int64_t> sums;
    sums.reserve(a.size() * b.size());
    for (const std::int64_t first : a) {
        for (const std::int64_t second : b) {
            sums.push_back(first + second);
        }
    }
    return sums;
}

[[noreturn]] void refuse_size() {
    throw Error(ErrorKind::usage,
                fmt::format("search space: more than {} configurations satisfy the constraints: "
                            "add a constraint or list fewer values",
                            kMaxCombinations));
}

/// Radix sort of numbers that are not negative, 11 bits at a time.
void sort_numbers(std::vector<std::int64_t>& numbers) {
    if (std::is_sorted(numbers.begin(), numbers.end())) {
        return;
    }
    constexpr int kBits = 11;
    constexpr std::size_t kDigits = std::size_t{1} << kBits;
    const std::int64_t largest = *std::max_element(numbers.begin(), numbers.end());
    std::vector<std::int64_t> moved(numbers.size());
    for (int shift = 0; shift < 63 && largest >> shift != 0; shift += kBits) {
        const auto digit = [shift](std::int64_t number) {
            return static_cast<std::size_t>(number >> shift) % kDigits;
        };
        std::vector<std::size_t> begins(kDigits + 1);
        for (const std::int64_t number : numbers) {
            ++begins[digit(number) + 1];
        }
        std::partial_sum(begins.begin(), begins.end(), begins.begin());
        for (const std::int64_t number : numbers) {
            moved[begins[digit(number)]++] = number;
        }
        numbers.swap(moved);
    }
}

}  // namespace

void ParameterTables::Closer::operator()(sqlite3* database) const noexcept {
    sqlite3_close(database);
}

void ParameterTables::Finalizer::operator()(sqlite3_stmt* statement) const noexcept {
    sqlite3_finalize(statement);
}

ParameterTables::ParameterTables(std::span<const Parameter> parameters,
                                 std::span<const std::int64_t> strides, std::int64_t most_steps)
    : parameters_(parameters), periods_left_(std::make_unique<std::int64_t>(most_steps / kPeriod)) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(
        ":memory:", &raw,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
        nullptr);
    database_.reset(raw);
    if (code != SQLITE_OK) {
        fail("sqlite3_open_v2");
    }
    sqlite3_progress_handler(raw, kPeriod, count_steps, periods_left_.get());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        execute(create_table(i, parameters[i], strides[i]));
    }
    add_sample();
}

/// Not 0 if no step is left.
int ParameterTables::count_steps(void* periods_left) {
    return --*static_cast<std::int64_t*>(periods_left) < 0 ? 1 : 0;
}

/// A table of random combinations, a column for each parameter. The generator is fixed: equal
/// parameters give equal plans.
void ParameterTables::add_sample() const {
    std::vector<std::string> columns;
    for (const Parameter& parameter : parameters_) {
        columns.push_back(fmt::format("\"{}\"", parameter.name));
    }
    execute(fmt::format("CREATE TABLE sample ({}); BEGIN", fmt::join(columns, ", ")));
    const std::vector<std::string> marks(columns.size(), "?");
    const Statement insert =
        prepare(fmt::format("INSERT INTO sample VALUES ({})", fmt::join(marks, ", ")));
    std::mt19937_64 random;
    for (int row = 0; row < kSample; ++row) {
        int column = 0;
        for (const Parameter& parameter : parameters_) {
            const Value& value = parameter.values[random() % parameter.values.size()];
            ++column;
            if (const auto* integer = std::get_if<std::int64_t>(&value)) {
                sqlite3_bind_int64(insert.get(), column, *integer);
            } else {
                const auto& text = std::get<std::string>(value);
                sqlite3_bind_text(insert.get(), column, text.data(), static_cast<int>(text.size()),
                                  SQLITE_STATIC);
            }
        }
        step(insert);
        sqlite3_reset(insert.get());
    }
    execute("COMMIT");
}

/// The share of the sample that satisfies each constraint, never quite 0.
std::vector<double> ParameterTables::selectivities(std::span<const Expression> constraints) const {
    std::vector<double> shares;
    for (const Expression& constraint : constraints) {
        const Statement query =
            prepare(fmt::format("SELECT count(*) FROM sample WHERE {}", constraint.sql()));
        step(query);
        shares.push_back((sqlite3_column_double(query.get(), 0) + 0.5) / (kSample + 1));
    }
    return shares;
}

std::vector<JoinGroup> ParameterTables::plan(std::span<const Expression> constraints) const {
    return plan_joins(parameters_, constraints, selectivities(constraints));
}

bool ParameterTables::constants_hold(std::span<const Expression> constraints) const {
    return std::all_of(constraints.begin(), constraints.end(), [](const Expression& constraint) {
        const auto value = constraint.constant_value();
        return !value || is_true(*value);
    });
}

std::vector<std::int64_t> ParameterTables::combinations(
    std::span<const Expression> constraints) const {
    std::vector<std::int64_t> all;
    if (!constants_hold(constraints)) {
        return all;
    }
    std::vector<std::vector<std::int64_t>> parts;
    std::size_t count = 1;
    for (const JoinGroup& group : plan(constraints)) {
        parts.push_back(sums(group));
        if (parts.back().empty()) {
            return all;
        }
        if (parts.back().size() > kMaxCombinations / count) {
            refuse_size();
        }
        count *= parts.back().size();
    }
    // No constraint connects the groups: every combination of one with every one of another.
    all.push_back(0);
    for (const std::vector<std::int64_t>& part : parts) {
        all = sums_of(all, part);
    }
    sort_numbers(all);
    return all;
}

std::vector<std::int64_t> ParameterTables::sums(const JoinGroup& group) const {
    std::vector<std::string> numbers;
    for (const std::size_t index : group.parameters) {
        numbers.push_back(fmt::format("p{}.\"#\"", index));
    }
    const Statement query = prepare(select(fmt::format("{}", fmt::join(numbers, " + ")), group));
    std::vector<std::int64_t> sums;
    while (step(query)) {
        if (sums.size() == kMaxCombinations) {
            refuse_size();
        }
        sums.push_back(sqlite3_column_int64(query.get(), 0));
    }
    return sums;
}

bool ParameterTables::satisfiable(std::span<const Expression> constraints) const {
    const std::vector<JoinGroup> groups = plan(constraints);
    return constants_hold(constraints) &&
           std::all_of(groups.begin(), groups.end(),
                       [&](const JoinGroup& group) { return step(prepare(select("1", group))); });
}

void ParameterTables::execute(const std::string& sql) const {
    if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        fail("sqlite3_exec");
    }
}

ParameterTables::Statement ParameterTables::prepare(const std::string& sql) const {
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &raw, nullptr);
    Statement statement(raw);
    if (code != SQLITE_OK) {
        fail("sqlite3_prepare_v2");
    }
    return statement;
}

bool ParameterTables::step(const Statement& statement) const {
    const int code = sqlite3_step(statement.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        fail("sqlite3_step");
    }
    return code == SQLITE_ROW;
}

/// Fails where memory runs out, or where a constraint is nested beyond SQLite's limits.
void ParameterTables::fail(const char* call) const {
    if (sqlite3_errcode(database_.get()) == SQLITE_INTERRUPT) {
        throw Error(ErrorKind::usage,
                    "search space: too many combinations to try for one constraint or a few that "
                    "belong together: add constraints on fewer parameters, or list fewer values");
    }
    const bool memory = sqlite3_errcode(database_.get()) == SQLITE_NOMEM;
    throw Error(memory ? ErrorKind::unavailable : ErrorKind::usage,
                fmt::format("search space: {}: {}{}", call, sqlite3_errmsg(database_.get()),
                            memory ? "" : ": nest the constraints less deeply"));
}

}  // namespace jitune::internal
