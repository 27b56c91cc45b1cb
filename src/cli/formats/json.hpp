// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace jitune::internal {

struct View;

/// A JSON document to print, whose objects keep their keys in the order they were written. It only
/// writes, so that the commands need not compile a JSON library; json_file.hpp reads.
class Json {
public:
    Json() = default;  ///< null
    Json(std::nullptr_t) {}
    template <std::same_as<bool> Bool>
    Json(Bool value) : text_(value ? "true" : "false") {}
    template <std::integral Integer>
    requires(!std::same_as<Integer, bool>) Json(Integer value) : text_(std::to_string(value)) {}
    Json(double value);  ///< null if it is not finite: json_number() tells such numbers apart
    Json(std::string text) : kind_(Kind::text), text_(std::move(text)) {}
    Json(std::string_view text) : Json(std::string(text)) {}
    Json(const char* text) : Json(std::string(text)) {}
    template <class T>
    Json(const std::vector<T>& list) : kind_(Kind::array), values_(list.begin(), list.end()) {}
    /// An object where each value is a list of a text and another value, else an array.
    Json(std::initializer_list<Json> values);

    static Json array(std::initializer_list<Json> values = {});
    static Json object();

    void push_back(Json value);
    /// The member with that key; adds it if it is missing.
    Json& operator[](std::string_view key);
    /// Sets each member of `other`.
    void update(const Json& other);
    [[nodiscard]] std::size_t size() const { return values_.size(); }

    /// Each value on a line of its own, indented by `indent` spaces more than the one around it;
    /// all on one line if `indent` is negative. Text that is not UTF-8 is replaced.
    [[nodiscard]] std::string text(int indent = -1) const;

private:
    enum class Kind { literal, text, array, object };

    [[nodiscard]] bool is_member() const;
    void append_to(std::string& document, int indent, int depth) const;

    Kind kind_ = Kind::literal;
    std::string text_ = "null";      ///< of a literal as it is printed, of a text as it is
    std::vector<std::string> keys_;  ///< of an object, one for each value
    std::vector<Json> values_;
};

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
