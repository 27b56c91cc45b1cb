// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace jitune::internal {

struct View;

/// A document whose objects keep their keys in the order they were written.
using Json = nlohmann::ordered_json;

/// Each value on a line of its own, indented by `indent` spaces more than the one around it; all on
/// one line where `indent` is negative. Text that is not UTF-8 is replaced.
std::string json_text(const Json& document, int indent = -1);

/// A number, or "NaN", "Infinity", "-Infinity", which JSON has no numbers for.
Json json_number(double value);

/// A list of what `make` makes of each element.
template <class Elements, class Make>
Json json_list(const Elements& elements, const Make& make) {
    Json list = Json::array();
    for (const auto& element : elements) {
        list.push_back(make(element));
    }
    return list;
}

/// An object for each row of a view: the cells of columns with a key, as numbers if they are.
Json rows_json(const View& view);

}  // namespace jitune::internal
