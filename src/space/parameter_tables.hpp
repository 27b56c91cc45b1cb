#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "space/expression.hpp"
#include "space/value.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace jitune {

/// The parameters as tables of a database in memory: one table each, one row per value. Queries
/// are made of our own renderings only, so no text of a user's reaches SQLite. Not thread-safe.
class ParameterTables {
public:
    /// `parameters` must have distinct names, must be at most kMaxParameters and must outlive this.
    explicit ParameterTables(std::span<const Parameter> parameters);

    /// SQLite joins up to 64 tables.
    static constexpr std::size_t kMaxParameters = 60;

    /// The combinations of all parameters that satisfy `constraints`, a byte (the index of the
    /// value) per parameter, in lexicographic order.
    [[nodiscard]] std::vector<std::uint8_t> combinations(
        std::span<const Expression> constraints) const;

    /// Whether any values of the parameters named in `constraints` satisfy them all.
    [[nodiscard]] bool satisfiable(std::span<const Expression> constraints) const;

private:
    struct Closer {
        void operator()(sqlite3* database) const noexcept;
    };
    struct Finalizer {
        void operator()(sqlite3_stmt* statement) const noexcept;
    };
    using Statement = std::unique_ptr<sqlite3_stmt, Finalizer>;

    void execute(const std::string& sql) const;
    [[nodiscard]] Statement prepare(const std::string& sql) const;
    bool step(const Statement& statement) const;
    [[noreturn]] void fail(const char* call) const;

    std::span<const Parameter> parameters_;
    std::unique_ptr<sqlite3, Closer> database_;
};

}  // namespace jitune
