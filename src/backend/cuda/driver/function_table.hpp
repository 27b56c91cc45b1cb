// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

// Structs of pointers to the functions of a library, by which it is called. Tests put others in
// their place.

// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member
#define JITUNE_DECLARE_FUNCTION(function) decltype(&::function) function = nullptr;
#define JITUNE_SYMBOL(function) #function
#define JITUNE_VISIT_FUNCTION(function) visit(#function, JITUNE_SYMBOL(function), table.function);

/// Members of a struct: LIST(X) applies X to the name of each function that the library's header
/// declares. visit() calls a function for each member, with its name and with its symbol in the
/// library, which differs where the header renames functions.
#define JITUNE_FUNCTION_TABLE(LIST)                       \
    LIST(JITUNE_DECLARE_FUNCTION)                         \
    template <class Table, class Visit>                   \
    static void visit(Table& table, const Visit& visit) { \
        LIST(JITUNE_VISIT_FUNCTION)                       \
    }

namespace jitune::internal {

/// The table with the address that `resolve` finds for each symbol.
template <class Table, class Resolve>
std::shared_ptr<const Table> resolved_table(const Resolve& resolve) {
    auto table = std::make_shared<Table>();
    Table::visit(*table, [&](const char* /*name*/, const char* symbol, auto& function) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(resolve(symbol));
    });
    return table;
}

/// The name of a member, which is given by its place.
template <class Table>
const char* function_name(const Table& table, const void* member) {
    const char* found = "";
    Table::visit(table, [&](const char* name, const char* /*symbol*/, const auto& function) {
        found = &function == member ? name : found;
    });
    return found;
}

}  // namespace jitune::internal
