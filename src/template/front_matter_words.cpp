#include "template/front_matter_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace jitune {

namespace {

struct AccessWord {
    std::string_view word;
    Access access;
};
constexpr std::array kAccessWords{
    AccessWord{"in", Access::in},           AccessWord{"out", Access::out},
    AccessWord{"inout", Access::inout},     AccessWord{"value", Access::value},
    AccessWord{"scratch", Access::scratch}, AccessWord{"zeroed", Access::zeroed},
    AccessWord{"scalar", Access::scalar},
};

struct TypeWord {
    std::string_view name;
    std::int64_t bytes;
};
constexpr std::array kTypeWords{
    TypeWord{"int8", 1},    TypeWord{"uint8", 1},    TypeWord{"int16", 2},   TypeWord{"uint16", 2},
    TypeWord{"int32", 4},   TypeWord{"uint32", 4},   TypeWord{"int64", 8},   TypeWord{"uint64", 8},
    TypeWord{"float16", 2}, TypeWord{"bfloat16", 2}, TypeWord{"float32", 4}, TypeWord{"float64", 8},
};

/// True for a letter or _, then letters, digits, _ and `others`; at most `longest` characters.
/// By hand: a std::regex costs every first call of a process milliseconds.
bool is_word(std::string_view text, std::string_view others, std::size_t longest) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !text.empty() && text.size() <= longest && is_letter(text.front()) &&
           std::all_of(text.begin(), text.end(), [&](char c) {
               return is_letter(c) || (c >= '0' && c <= '9') ||
                      others.find(c) != std::string_view::npos;
           });
}

}  // namespace

std::optional<Access> access_from(std::string_view word) {
    const auto* const row = std::find_if(kAccessWords.begin(), kAccessWords.end(),
                                         [&](const AccessWord& one) { return one.word == word; });
    return row == kAccessWords.end() ? std::nullopt : std::optional(row->access);
}

const std::set<std::string>& device_attributes(std::string_view backend) {
    static const std::set<std::string> cuda{
        "sm_count",           "warp_size",         "max_threads_per_block",
        "max_threads_per_sm", "max_blocks_per_sm", "shared_bytes_per_block",
        "registers_per_sm",   "l2_bytes",          "compute_capability",
        "memory_bus_bits",    "memory_clock_khz"};
    static const std::set<std::string> host{"cores", "cache_bytes", "simd_bytes"};
    static const std::set<std::string> machine{"cores", "gpu_count"};
    return backend == "cuda" ? cuda : backend == "host" ? host : machine;
}

bool is_identifier(std::string_view text) {
    return is_word(text, "", 64);
}

std::optional<std::pair<std::int64_t, std::int64_t>> integer_range(std::string_view text) {
    const char* const end = text.data() + text.size();
    std::pair<std::int64_t, std::int64_t> range{-1, -1};
    const char* const dots = std::from_chars(text.data(), end, range.first).ptr;
    if (!std::string_view(dots, end).starts_with("..") ||
        std::from_chars(dots + 2, end, range.second).ptr != end || range.first < 0 ||
        range.second < range.first || range.second > kHighestInRange ||
        range.second - range.first >= kMostInRange) {
        return std::nullopt;
    }
    return range;
}

bool is_type_text(std::string_view text) {
    return is_word(text, ": ", 128);
}

std::optional<std::int64_t> type_bytes(std::string_view name) {
    const auto* const row = std::find_if(kTypeWords.begin(), kTypeWords.end(),
                                         [&](const TypeWord& one) { return one.name == name; });
    return row == kTypeWords.end() ? std::nullopt : std::optional(row->bytes);
}

}  // namespace jitune
