// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/json.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "text/view.hpp"

namespace jitune::internal {

namespace {

/// As nlohmann::json writes a single value.
template <class T>
std::string rendered(const T& value) {
    return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void break_line(std::string& document, int indent, int depth) {
    if (indent >= 0) {
        document += '\n';
        document.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(depth), ' ');
    }
}

}  // namespace

Json::Json(double value) : text_(rendered(value)) {}

Json::Json(std::initializer_list<Json> values) : kind_(Kind::array), values_(values) {
    if (!std::all_of(values.begin(), values.end(),
                     [](const Json& one) { return one.is_member(); })) {
        return;
    }
    kind_ = Kind::object;
    values_.clear();
    for (const Json& member : values) {
        (*this)[member.values_[0].text_] = member.values_[1];
    }
}

bool Json::is_member() const {
    return kind_ == Kind::array && values_.size() == 2 && values_[0].kind_ == Kind::text;
}

Json Json::array(std::initializer_list<Json> values) {
    Json array;
    array.kind_ = Kind::array;
    array.values_ = values;
    return array;
}

Json Json::object() {
    Json object;
    object.kind_ = Kind::object;
    return object;
}

void Json::push_back(Json value) {
    kind_ = Kind::array;
    values_.push_back(std::move(value));
}

Json& Json::operator[](std::string_view key) {
    kind_ = Kind::object;
    const auto found = std::find(keys_.begin(), keys_.end(), key);
    if (found != keys_.end()) {
        return values_[static_cast<std::size_t>(found - keys_.begin())];
    }
    keys_.emplace_back(key);
    return values_.emplace_back();
}

void Json::update(const Json& other) {
    for (std::size_t i = 0; i < other.keys_.size(); ++i) {
        (*this)[other.keys_[i]] = other.values_[i];
    }
}

std::string Json::text(int indent) const {
    std::string document;
    append_to(document, indent, 0);
    return document;
}

void Json::append_to(std::string& document, int indent, int depth) const {
    if (kind_ == Kind::literal || kind_ == Kind::text) {
        document += kind_ == Kind::literal ? text_ : rendered(text_);
        return;
    }
    document += kind_ == Kind::object ? '{' : '[';
    for (std::size_t i = 0; i < values_.size(); ++i) {
        document += i == 0 ? "" : ",";
        break_line(document, indent, depth + 1);
        if (kind_ == Kind::object) {
            document += rendered(keys_[i]) + (indent >= 0 ? ": " : ":");
        }
        values_[i].append_to(document, indent, depth + 1);
    }
    if (!values_.empty()) {
        break_line(document, indent, depth);
    }
    document += kind_ == Kind::object ? '}' : ']';
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
    Json rows = Json::array();
    for (const View::Row& row : view.rows) {
        Json object = Json::object();
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (const std::string& key = view.columns[i].key; !key.empty()) {
                object[key] = std::isfinite(row[i].number) ? Json(row[i].number) : row[i].text;
            }
        }
        rows.push_back(object);
    }
    return rows;
}

}  // namespace jitune::internal
