// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/json.hpp"

#include <cmath>

#include "text/view.hpp"

namespace jitune::internal {

std::string json_text(const Json& document, int indent) {
    return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json json_number(double value) {
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value > 0 ? "Infinity" : "-Infinity";
    }
    return value;
}

Json rows_json(const View& view) {
    return json_list(view.rows, [&](const View::Row& row) {
        Json object = Json::object();
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (const std::string& key = view.columns[i].key; !key.empty()) {
                object[key] =
                    std::isfinite(row[i].number) ? Json(row[i].number) : Json(row[i].text);
            }
        }
        return object;
    });
}

}  // namespace jitune::internal
