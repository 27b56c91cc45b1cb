// SPDX-License-Identifier: Apache-2.0
#include "template/front_matter_scope.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <ranges>

#include <fmt/format.h>

#include "backend/launch.hpp"
#include "template/front_matter.hpp"
#include "template/name_rules.hpp"
#include "template/option_reader.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

constexpr std::int64_t kMostAlignment = 256;

struct AccessRow {
    std::string_view word;
    Access access;
};
constexpr std::array kAccesses{
    AccessRow{"in", Access::in},           AccessRow{"out", Access::out},
    AccessRow{"inout", Access::inout},     AccessRow{"value", Access::value},
    AccessRow{"scratch", Access::scratch}, AccessRow{"zeroed", Access::zeroed},
    AccessRow{"scalar", Access::scalar},
};

std::optional<Access> access_from(std::string_view word) {
    const auto* const row = std::find_if(kAccesses.begin(), kAccesses.end(),
                                         [&](const AccessRow& one) { return one.word == word; });
    return row == kAccesses.end() ? std::nullopt : std::optional(row->access);
}

/// Reads one argument.
class ArgumentReader {
public:
    ArgumentReader(const FrontMatterScope& scope, const toml::table& table, const std::string& name)
        : scope_(scope), reader_(scope.reader()), table_(table), where_("argument " + name) {
        result_.name = name;
        result_.line = reader_.line(table);
    }

    ArgumentSpec read(const FrontMatter& front) {
        const auto access = access_from(reader_.text(table_, "access", where_));
        if (!access) {
            fail("access of {} must be in, out, inout, value, scalar, scratch or zeroed");
        }
        const bool is_array = *access == Access::value && table_.contains("count");
        result_.access = is_array ? Access::value_array : *access;
        result_.type = reader_.text(table_, "type", where_);
        const std::string_view amount = is_scalar() ? "value" : "count";
        if (table_.contains("texture") && result_.access != Access::in) {
            fail(
                "{} has a texture, which only arguments with access = \"in\" may have: kernels "
                "read textures and do not write them");
        }
        refuse_other_keys(amount);
        result_.amount = scope_.expression(table_, reader_.text(table_, amount, where_));
        read_type(front);
        read_fill(front);
        read_tolerance();
        read_alignment();
        read_constant(front);
        read_texture(front);
        return result_;
    }

private:
    [[nodiscard]] bool is_scalar() const {
        return result_.access == Access::scalar || result_.access == Access::value;
    }

    void refuse_other_keys(std::string_view amount) const {
        switch (result_.access) {
            case Access::in:
                return reader_.refuse_other_keys(
                    table_, where_,
                    {"access", "type", amount, "fill", "alignment", "constant", "texture"});
            case Access::out:
                return reader_.refuse_other_keys(
                    table_, where_, {"access", "type", amount, "tolerance", "alignment"});
            case Access::inout:
                return reader_.refuse_other_keys(
                    table_, where_, {"access", "type", amount, "fill", "tolerance", "alignment"});
            default:
                return reader_.refuse_other_keys(table_, where_, {"access", "type", amount});
        }
    }

    void read_type(const FrontMatter& front) const {
        const bool is_parameter =
            front.types.contains(result_.type) && !front.ranges.contains(result_.type);
        if (!is_parameter && !type_bytes(result_.type)) {
            fail(
                "type of {} is \"{}\", which is neither a type parameter nor a type name such as "
                "uint64",
                result_.type);
        }
        if (result_.access == Access::scalar && !result_.type.starts_with("int") &&
            !result_.type.starts_with("uint")) {
            fail("{} is a scalar, so its type must be an integer type");
        }
    }

    void read_fill(const FrontMatter& front) {
        const auto fill =
            Fill::parse(reader_.text_or(table_, "fill", where_, "random"),
                        [&](const std::string& text) { return scope_.expression(table_, text); });
        if (!fill) {
            fail(
                "fill of {} must be random, random A..B, sorted, sorted A..B, normal, normal MEAN, "
                "DEVIATION, permutation, offsets LAST, zeros, ones, iota, constant A, a .npy file "
                "or raw FILE");
        }
        result_.fill = *fill;
        if (std::ranges::count(fill->file, '{') != std::ranges::count(fill->file, '}')) {
            fail("fill of {} has braces that do not hold a name");
        }
        static_cast<void>(filled_option(fill->file, [&](const std::string& name) {
            if (std::ranges::count(front.sizes, name) == 0 && !front.types.contains(name)) {
                fail("fill of {} names {{{}}}, which is neither a size nor a type parameter", name);
            }
            return name;
        }));
    }

    void read_tolerance() {
        if (const toml::node* node = table_.get("tolerance")) {
            result_.tolerance = node->value<double>();
            if (!node->is_number() || !(*result_.tolerance >= 0 && *result_.tolerance < 1)) {
                fail("tolerance of {} must be a relative difference: 0, or a number below 1");
            }
        }
    }

    void read_alignment() {
        if (const toml::node* node = table_.get("alignment")) {
            const auto bytes = node->value_exact<std::int64_t>().value_or(0);
            if (bytes < 1 || bytes > kMostAlignment ||
                !std::has_single_bit(static_cast<std::uint64_t>(bytes))) {
                fail("alignment of {} must be a power of two of bytes, up to 256");
            }
            result_.alignment = bytes;
        }
    }

    void read_constant(const FrontMatter& front) {
        result_.constant = reader_.text_or(table_, "constant", where_, "");
        if (!table_.contains("constant")) {
            return;
        }
        if (!runs_on_gpu(front.platform) || !is_type_text(result_.constant)) {
            fail("constant of {} must be the name of a __constant__ variable of a CUDA template");
        }
        const auto earlier = std::count_if(front.arguments.begin(), front.arguments.end(),
                                           [](const auto& one) { return !one.constant.empty(); });
        if (earlier >= static_cast<std::ptrdiff_t>(kMaxConstants)) {
            fail("constant of {} is one too many: a template has at most {}", kMaxConstants);
        }
    }

    void read_texture(const FrontMatter& front) {
        const toml::node* const node = table_.get("texture");
        if (node == nullptr) {
            return;
        }
        if (!runs_on_gpu(front.platform)) {
            fail("{} has a texture, which only CUDA templates have: give the kernel its pointer");
        }
        for (const char* key : {"constant", "alignment"}) {
            if (table_.contains(key)) {
                fail("{} has a texture, so it cannot have {}", std::string(key));
            }
        }
        const auto earlier = std::count_if(front.arguments.begin(), front.arguments.end(),
                                           [](const auto& one) { return one.texture.has_value(); });
        if (earlier >= static_cast<std::ptrdiff_t>(kMaxTextures)) {
            fail("texture of {} is one too many: a template has at most {}", kMaxTextures);
        }
        const auto type = front.types.find(result_.type);
        std::vector<std::string> types{result_.type};
        if (type != front.types.end()) {
            const auto names = std::views::keys(type->second);
            types.assign(names.begin(), names.end());
        }
        result_.texture = internal::read_texture(scope_, *node, where_,
                                                 reader_.text(table_, "count", where_), types);
        result_.alignment = kTextureAlignment;
    }

    /// The first {} of the message is the argument.
    template <class... More>
    [[noreturn]] void fail(fmt::format_string<const std::string&, const More&...> message,
                           const More&... more) const {
        reader_.fail(table_, fmt::format(message, where_, more...));
    }

    const FrontMatterScope& scope_;
    const TomlReader& reader_;
    const toml::table& table_;
    std::string where_;
    ArgumentSpec result_;
};

}  // namespace

void read_arguments(const FrontMatterScope& scope, const toml::node& arguments,
                    FrontMatter& front) {
    const TomlReader& reader = scope.reader();
    for (const auto& [name, node] : reader.in_order(reader.table(arguments, "arguments"))) {
        const toml::table& table = reader.table(*node, "argument " + name);
        front.arguments.push_back(ArgumentReader(scope, table, name).read(front));
    }
    if (front.arguments.size() > kMaxArguments) {
        reader.fail(arguments, fmt::format("at most {} arguments", kMaxArguments));
    }
}

}  // namespace jitune::internal
