// SPDX-License-Identifier: Apache-2.0
#include "families/own/npy.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kAccepted =
    "jitune reads .npy files of bool, and of little-endian integers and floats of up to 64 bits";
constexpr std::size_t kMaxHeader = 1 << 20;
constexpr std::size_t kMaxDimensions = 64;

struct Format {
    std::string_view descr;
    ElementType type;
};

constexpr std::array kFormats{
    Format{"|b1", ElementType::uint8},   Format{"|i1", ElementType::int8},
    Format{"|u1", ElementType::uint8},   Format{"<i2", ElementType::int16},
    Format{"<u2", ElementType::uint16},  Format{"<i4", ElementType::int32},
    Format{"<u4", ElementType::uint32},  Format{"<i8", ElementType::int64},
    Format{"<u8", ElementType::uint64},  Format{"<f2", ElementType::float16},
    Format{"<f4", ElementType::float32}, Format{"<f8", ElementType::float64},
};

[[noreturn]] void refuse(std::string_view why) {
    throw Error(ErrorKind::usage, fmt::format("{}; {}", why, kAccepted));
}

/// Reads the text of a header: a Python dictionary with the keys descr, fortran_order and shape.
class Literal {
public:
    explicit Literal(std::string_view text) : rest_(text) {}

    bool accept(char wanted) {
        skip_space();
        if (rest_.empty() || rest_.front() != wanted) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    void expect(char wanted) {
        if (!accept(wanted)) {
            refuse(fmt::format("the header lacks a '{}'", wanted));
        }
    }

    std::string_view quoted() {
        skip_space();
        const char quote = rest_.empty() ? '\0' : rest_.front();
        if (quote != '\'' && quote != '"') {
            refuse("the header describes structured or damaged data");
        }
        const auto end = rest_.find(quote, 1);
        if (end == std::string_view::npos) {
            refuse("the header has an unfinished string");
        }
        const std::string_view text = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        return text;
    }

    bool boolean() {
        skip_space();
        for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
            if (rest_.starts_with(word)) {
                rest_.remove_prefix(std::string_view(word).size());
                return value;
            }
        }
        refuse("fortran_order in the header is neither True nor False");
    }

    std::vector<std::int64_t> tuple() {
        std::vector<std::int64_t> items;
        expect('(');
        while (!accept(')')) {
            if (items.size() == kMaxDimensions) {
                refuse(fmt::format("the array has more than {} dimensions", kMaxDimensions));
            }
            items.push_back(integer());
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return items;
    }

    void expect_end() {
        skip_space();
        if (!rest_.empty()) {
            refuse("the header goes on after its dictionary");
        }
    }

private:
    void skip_space() {
        const auto end = rest_.find_first_not_of(" \t\r\n");
        rest_.remove_prefix(std::min(end, rest_.size()));
    }

    std::int64_t integer() {
        skip_space();
        constexpr std::int64_t kLimit = std::numeric_limits<std::int64_t>::max() / 10 - 1;
        std::int64_t value = 0;
        std::size_t digits = 0;
        for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
            if (value > kLimit) {
                refuse("the shape has a dimension that is too large");
            }
            value = value * 10 + (rest_[digits] - '0');
        }
        if (digits == 0) {
            refuse("the shape has a dimension that is not a whole number");
        }
        rest_.remove_prefix(digits);
        return value;
    }

    std::string_view rest_;
};

const Format& find_format(std::string_view descr) {
    const auto* found = std::find_if(kFormats.begin(), kFormats.end(),
                                     [&](const Format& row) { return row.descr == descr; });
    if (found == kFormats.end()) {
        refuse(fmt::format("the element type is '{}'", descr));
    }
    return *found;
}

std::size_t little_endian(std::span<const std::byte> bytes) {
    std::size_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        value = value << 8 | std::to_integer<std::size_t>(bytes[i]);
    }
    return value;
}

/// The header's text. Sets `end` to where it ends in the file.
std::string_view header_text(std::span<const std::byte> file, std::size_t& end) {
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    if (!text.starts_with(kMagic) || file.size() < 8) {
        refuse("this is not a .npy file");
    }
    const int major = std::to_integer<int>(file[6]);
    const int minor = std::to_integer<int>(file[7]);
    if (major < 1 || major > 3 || minor != 0) {
        refuse(fmt::format("the .npy version is {}.{}, known are 1.0, 2.0 and 3.0", major, minor));
    }
    const std::size_t length_bytes = major == 1 ? 2 : 4;
    const std::size_t begin = 8 + length_bytes;
    if (file.size() < begin) {
        refuse("the file ends within its header");
    }
    const std::size_t length = little_endian(file.subspan(8, length_bytes));
    if (length > kMaxHeader) {
        refuse(fmt::format("the header claims {} bytes", length));
    }
    if (length > file.size() - begin) {
        refuse("the file ends within its header");
    }
    end = begin + length;
    return text.substr(begin, length);
}

/// Product of the shape, if its elements can fill exactly `bytes`.
std::size_t count_elements(const std::vector<std::int64_t>& shape, std::size_t element_bytes,
                           std::size_t bytes) {
    const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
    std::size_t count = empty ? 0 : 1;
    for (const std::int64_t dimension : shape) {
        const auto factor = static_cast<std::size_t>(dimension);
        if (!empty && count > bytes / element_bytes / factor) {
            refuse(
                fmt::format("the file is cut short: its shape needs more than its {} bytes of "
                            "data",
                            bytes));
        }
        count *= factor;
    }
    if (count * element_bytes > bytes) {
        refuse(fmt::format("the file is cut short: its shape needs {} bytes of data, but it has {}",
                           count * element_bytes, bytes));
    }
    if (count * element_bytes < bytes) {
        refuse(fmt::format("the file has {} bytes after its data", bytes - count * element_bytes));
    }
    return count;
}

NpyHeader parse_header(std::span<const std::byte> file) {
    NpyHeader header;
    Literal literal(header_text(file, header.data_offset));
    const Format* format = nullptr;
    bool has_order = false;
    bool has_shape = false;
    literal.expect('{');
    while (!literal.accept('}')) {
        const std::string_view key = literal.quoted();
        literal.expect(':');
        if (key == "descr" && format == nullptr) {
            format = &find_format(literal.quoted());
        } else if (key == "fortran_order" && !has_order) {
            header.fortran_order = literal.boolean();
            has_order = true;
        } else if (key == "shape" && !has_shape) {
            header.shape = literal.tuple();
            has_shape = true;
        } else {
            refuse(fmt::format("the header has an unexpected key '{}'", key));
        }
        if (!literal.accept(',')) {
            literal.expect('}');
            break;
        }
    }
    literal.expect_end();
    if (format == nullptr || !has_order || !has_shape) {
        refuse("the header lacks descr, fortran_order or shape");
    }
    header.type = format->type;
    header.count =
        count_elements(header.shape, bytes_of(header.type), file.size() - header.data_offset);
    return header;
}

}  // namespace

NpyHeader parse_npy(std::span<const std::byte> file, const std::string& name) {
    try {
        return parse_header(file);
    } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("cannot read \"{}\": {}", name, error.what()));
    }
}

void write_npy(const std::filesystem::path& path, ElementType type,
               std::span<const std::int64_t> shape, std::span<const std::byte> data) {
    // The last format of a type is its own; an earlier one is bool, which is read as uint8.
    const auto format = std::find_if(kFormats.rbegin(), kFormats.rend(),
                                     [&](const Format& one) { return one.type == type; });
    if (format == kFormats.rend()) {
        throw Error(ErrorKind::usage, fmt::format("cannot write \"{}\": NumPy has no type {}",
                                                  path.string(), to_string(type)));
    }
    constexpr std::size_t kAligned = 64;
    constexpr std::size_t kPrefix = kMagic.size() + 4;
    std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", format->descr,
                    fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
    header.resize((kPrefix + header.size()) / kAligned * kAligned + kAligned - kPrefix - 1, ' ');
    header += '\n';
    const char numbers[] = {1, 0, static_cast<char>(header.size() & 0xff),
                            static_cast<char>(header.size() >> 8)};
    write_file(path, {kMagic,
                      {numbers, sizeof numbers},
                      header,
                      {reinterpret_cast<const char*>(data.data()), data.size()}});
}

}  // namespace jitune::internal
