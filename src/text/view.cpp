// SPDX-License-Identifier: Apache-2.0
#include "text/view.hpp"

#include "text/units.hpp"

namespace jitune::internal {

Column text_column(std::string title) {
    return {std::move(title)};
}

Column number_column(std::string title) {
    return {std::move(title), Align::right};
}

Column code_column(std::string title) {
    return {.title = std::move(title), .look = Look::code};
}

Column long_code_column(std::string title) {
    return {.title = std::move(title), .look = Look::long_code};
}

Column configuration_column() {
    return long_code_column("configuration");
}

Column markup_column(std::string title) {
    return {.title = std::move(title), .look = Look::markup};
}

Column day_column(std::string title) {
    return {.title = std::move(title), .is_detail = true, .look = Look::day};
}

Column detail(Column column) {
    column.is_detail = true;
    return column;
}

Column detail(std::string title, Align align) {
    return detail(Column{std::move(title), align});
}

Column named(std::string key, Column column) {
    column.key = std::move(key);
    return column;
}

View::Cell time_cell(double nanoseconds) {
    return {time_text(nanoseconds), nanoseconds};
}

View::Cell ratio_cell(double ratio) {
    return {ratio_text(ratio), ratio};
}

View::Cell percent_cell(double part) {
    return {percent_text(part), part};
}

}  // namespace jitune::internal
