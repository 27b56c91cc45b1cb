// SPDX-License-Identifier: Apache-2.0
#include "template/front_matter_scope.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "template/front_matter.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

using Filter = TextureSampling::Filter;
using Address = TextureSampling::Address;

template <class Value>
struct WordRow {
    std::string_view word;
    Value value;
};
constexpr std::array kFilters{
    WordRow<Filter>{"point", Filter::point},
    WordRow<Filter>{"linear", Filter::linear},
};
constexpr std::array kAddresses{
    WordRow<Address>{"clamp", Address::clamp},
    WordRow<Address>{"border", Address::border},
    WordRow<Address>{"wrap", Address::wrap},
    WordRow<Address>{"mirror", Address::mirror},
};
constexpr std::array kReads{
    WordRow<bool>{"element", false},
    WordRow<bool>{"normalized", true},
};

bool is_short_integer(ElementType type) {
    return type == ElementType::int8 || type == ElementType::uint8 || type == ElementType::int16 ||
           type == ElementType::uint16;
}
bool fits_a_texture(ElementType type) {
    return is_real(type) || is_short_integer(type) || type == ElementType::int32 ||
           type == ElementType::uint32;
}

/// Reads one table.
class TextureReader {
public:
    TextureReader(const FrontMatterScope& scope, const toml::node& texture,
                  const std::string& argument)
        : scope_(scope),
          reader_(scope.reader()),
          where_("texture of " + argument),
          table_(reader_.table(texture, where_)) {}

    TextureSpec read(const std::string& count, const std::vector<std::string>& types) {
        reader_.refuse_other_keys(
            table_, where_,
            {"width", "height", "pitch", "channels", "filter", "address", "normalized", "read"});
        read_types(types);
        read_channels();
        if (table_.contains("width") || table_.contains("height")) {
            read_plane();
        } else {
            read_line(count);
        }
        read_sampling();
        return result_;
    }

private:
    void read_types(const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            const auto type = element_type_from(name);
            if (!type || !fits_a_texture(*type)) {
                fail(
                    "{} cannot hold {}: the elements of a texture are integers of 8, 16 or 32 "
                    "bits, float16 or float32",
                    name);
            }
            types_.push_back(*type);
        }
    }

    void read_channels() {
        std::int64_t channels = 1;
        if (const toml::node* node = table_.get("channels")) {
            channels = node->value_exact<std::int64_t>().value_or(0);
        }
        if (channels != 1 && channels != 2 && channels != 4) {
            fail(
                "channels of {} must be 1, 2 or 4, a number without quotes: the elements that are "
                "one texel");
        }
        result_.sampling.channels = static_cast<std::uint8_t>(channels);
    }

    void read_plane() {
        if (!table_.contains("width") || !table_.contains("height")) {
            fail("{} needs both width and height, for tex2D, or neither, for tex1Dfetch");
        }
        const std::string width = reader_.text(table_, "width", where_);
        result_.width = scope_.expression(table_, width);
        result_.height = scope_.expression(table_, reader_.text(table_, "height", where_));
        result_.pitch = scope_.expression(table_, reader_.text_or(table_, "pitch", where_, width));
    }

    void read_line(const std::string& count) {
        for (const char* key : {"pitch", "filter", "address", "normalized"}) {
            if (table_.contains(key)) {
                fail("{} has {}, but no width and height: tex1Dfetch reads texels as they are",
                     std::string(key));
            }
        }
        result_.width =
            scope_.expression(table_, fmt::format("({}) / {}", count, result_.sampling.channels));
    }

    void read_sampling() {
        TextureSampling& sampling = result_.sampling;
        sampling.filter = word("filter", kFilters);
        sampling.address = word("address", kAddresses);
        sampling.normalized_values = word("read", kReads);
        if (const toml::node* node = table_.get("normalized")) {
            if (!node->is_boolean()) {
                fail("normalized of {} must be true or false");
            }
            sampling.normalized_coordinates = node->value_or(false);
        }
        if (sampling.normalized_values && !all(is_short_integer)) {
            fail("{} can read integers of 8 or 16 bits alone as \"normalized\"");
        }
        if (sampling.filter == Filter::linear && !sampling.normalized_values && !all(is_real)) {
            fail(
                "{} filters integers, which needs read = \"normalized\" and integers of 8 or 16 "
                "bits");
        }
        if ((sampling.address == Address::wrap || sampling.address == Address::mirror) &&
            !sampling.normalized_coordinates) {
            fail("address of {} can be wrap or mirror only with normalized = true");
        }
    }

    /// The first row if the key is missing.
    template <class Value, std::size_t kCount>
    Value word(const std::string& key, const std::array<WordRow<Value>, kCount>& rows) const {
        const std::string given = reader_.text_or(table_, key, where_, rows.front().word);
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&](const auto& one) { return one.word == given; });
        if (row == rows.end()) {
            std::string words;
            for (const auto& one : rows) {
                words += fmt::format("{}{}", words.empty() ? "" : ", ", one.word);
            }
            reader_.fail(table_, fmt::format("{} of {} must be one of {}", key, where_, words));
        }
        return row->value;
    }

    template <class Property>
    [[nodiscard]] bool all(const Property& property) const {
        return std::all_of(types_.begin(), types_.end(), property);
    }

    /// The first {} of the message is the texture.
    template <class... More>
    [[noreturn]] void fail(fmt::format_string<const std::string&, const More&...> message,
                           const More&... more) const {
        reader_.fail(table_, fmt::format(message, where_, more...));
    }

    const FrontMatterScope& scope_;
    const TomlReader& reader_;
    std::string where_;
    const toml::table& table_;
    std::vector<ElementType> types_;
    TextureSpec result_;
};

}  // namespace

TextureSpec read_texture(const FrontMatterScope& scope, const toml::node& texture,
                         const std::string& where, const std::string& count,
                         const std::vector<std::string>& types) {
    return TextureReader(scope, texture, where).read(count, types);
}

}  // namespace jitune::internal
