// SPDX-License-Identifier: Apache-2.0
#include "sizes/size_box.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace jitune::internal {

namespace {

/// Calls `take` with each part between the separators, until it returns false. Returns false then.
template <class Take>
bool each_part(std::string_view text, std::string_view separator, const Take& take) {
    while (true) {
        const std::size_t end = text.find(separator);
        if (!take(text.substr(0, end))) {
            return false;
        }
        if (end == std::string_view::npos) {
            return true;
        }
        text.remove_prefix(end + separator.size());
    }
}

struct Range {
    std::int64_t from = 0;
    std::int64_t to = 0;
};

/// "rows=1..64" or "columns=16". Allocates nothing: look-ups read many.
std::optional<Range> parse_range(std::string_view word) {
    const std::size_t name = word.find('=');
    if (name == std::string_view::npos) {
        return std::nullopt;
    }
    Range range;
    const char* const last = word.data() + word.size();
    std::from_chars_result read = std::from_chars(word.data() + name + 1, last, range.from);
    range.to = range.from;
    if (read.ec == std::errc() && std::string_view(read.ptr, last).starts_with("..")) {
        read = std::from_chars(read.ptr + 2, last, range.to);
    }
    const bool good = read.ec == std::errc() && read.ptr == last && range.from >= 1;
    return good && range.from <= range.to ? std::optional(range) : std::nullopt;
}

double octaves_between(std::int64_t left, std::int64_t right) {
    return std::abs(std::log2(static_cast<double>(left) / static_cast<double>(right)));
}

}  // namespace

SizeBox SizeBox::point(std::span<const std::int64_t> sizes) {
    return {{sizes.begin(), sizes.end()}, {sizes.begin(), sizes.end()}};
}

bool SizeBox::contains(std::span<const std::int64_t> sizes) const {
    bool inside = sizes.size() == from.size();
    for (std::size_t i = 0; inside && i < sizes.size(); ++i) {
        inside = from[i] <= sizes[i] && sizes[i] <= to[i];
    }
    return inside;
}

bool SizeBox::overlaps(const SizeBox& other) const {
    bool common = other.from.size() == from.size();
    for (std::size_t i = 0; common && i < from.size(); ++i) {
        common = from[i] <= other.to[i] && other.from[i] <= to[i];
    }
    return common;
}

SizeBox SizeBox::near(std::span<const std::int64_t> sizes, std::int64_t parts) {
    SizeBox box = point(sizes);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::int64_t above = std::numeric_limits<std::int64_t>::max() - sizes[i];
        box.from[i] -= sizes[i] / parts;
        box.to[i] += std::min(sizes[i] / parts, above);
    }
    return box;
}

SizeBox SizeBox::common(const SizeBox& other) const {
    SizeBox both = *this;
    for (std::size_t i = 0; i < from.size(); ++i) {
        both.from[i] = std::max(from[i], other.from[i]);
        both.to[i] = std::min(to[i], other.to[i]);
    }
    return both;
}

SizeBox SizeBox::without(const SizeBox& other, std::span<const std::int64_t> kept) const {
    SizeBox rest = *this;
    if (!overlaps(other)) {
        return rest;
    }
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (kept[i] > other.to[i]) {
            rest.from[i] = other.to[i] + 1;
            return rest;
        }
        if (kept[i] < other.from[i]) {
            rest.to[i] = other.from[i] - 1;
            return rest;
        }
    }
    return rest;
}

std::vector<SizeBox> SizeBox::outside(const SizeBox& other) const {
    if (!overlaps(other)) {
        return {*this};
    }
    std::vector<SizeBox> parts;
    SizeBox rest = *this;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (rest.from[i] < other.from[i]) {
            parts.push_back(rest);
            parts.back().to[i] = other.from[i] - 1;
            rest.from[i] = other.from[i];
        }
        if (rest.to[i] > other.to[i]) {
            parts.push_back(rest);
            parts.back().from[i] = other.to[i] + 1;
            rest.to[i] = other.to[i];
        }
    }
    return parts;
}

std::string coverage_text(std::span<const SizeBox> boxes, std::span<const std::string> names) {
    std::string text;
    for (const SizeBox& box : boxes) {
        text += text.empty() ? "" : "; ";
        for (std::size_t i = 0; i < box.from.size(); ++i) {
            text += fmt::format("{}{}={}", i == 0 ? "" : " ", names[i], box.from[i]);
            text += box.to[i] == box.from[i] ? "" : fmt::format("..{}", box.to[i]);
        }
    }
    return text;
}

std::optional<std::vector<SizeBox>> parse_coverage(std::string_view text) {
    std::vector<SizeBox> boxes;
    const auto take_box = [&](std::string_view part) {
        SizeBox& box = boxes.emplace_back();
        const bool good = each_part(part, " ", [&](std::string_view word) {
            const auto range = parse_range(word).value_or(Range());
            box.from.push_back(range.from);
            box.to.push_back(range.to);
            return range.from > 0;
        });
        return good && box.from.size() == boxes.front().from.size();
    };
    const bool good = text.empty() || each_part(text, "; ", take_box);
    return good ? std::optional(std::move(boxes)) : std::nullopt;
}

std::optional<bool> coverage_holds(std::string_view text, std::span<const std::int64_t> sizes) {
    bool holds = false;
    const auto take_box = [&](std::string_view part) {
        std::size_t index = 0;
        bool inside = true;
        const bool good = each_part(part, " ", [&](std::string_view word) {
            const auto range = parse_range(word);
            inside = inside && range && index < sizes.size() && range->from <= sizes[index] &&
                     sizes[index] <= range->to;
            ++index;
            return range.has_value();
        });
        holds = holds || (inside && index == sizes.size());
        return good;
    };
    const bool good = text.empty() || each_part(text, "; ", take_box);
    return good ? std::optional(holds) : std::nullopt;
}

std::optional<Sizes> exact_sizes(std::string_view text) {
    const auto boxes = parse_coverage(text);
    if (!boxes || boxes->size() != 1 || boxes->front().from != boxes->front().to) {
        return std::nullopt;
    }
    return boxes->front().from;
}

std::vector<std::string> size_names(std::string_view text) {
    std::vector<std::string> names;
    each_part(text.substr(0, text.find("; ")), " ", [&](std::string_view word) {
        names.emplace_back(word.substr(0, word.find('=')));
        return true;
    });
    return names;
}

double elements_of(const Sizes& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), 1.0, [](double product, std::int64_t size) {
        return product * static_cast<double>(size);
    });
}

double elements_of(std::string_view kernel, const Sizes& sizes) {
    const bool has_segments = kernel.starts_with("reduce_segments") && !sizes.empty();
    return has_segments ? static_cast<double>(sizes.back()) : elements_of(sizes);
}

double octaves_between(std::span<const std::int64_t> left, std::span<const std::int64_t> right) {
    double octaves = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
        octaves += octaves_between(left[i], right[i]);
    }
    return octaves;
}

double octaves_between(const SizeBox& box, std::span<const std::int64_t> sizes) {
    if (box.from.size() != sizes.size()) {
        return std::numeric_limits<double>::infinity();
    }
    double octaves = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        octaves += octaves_between(sizes[i], std::clamp(sizes[i], box.from[i], box.to[i]));
    }
    return octaves;
}

double octaves_between(std::span<const SizeBox> boxes, std::span<const std::int64_t> sizes) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const SizeBox& box : boxes) {
        nearest = std::min(nearest, octaves_between(box, sizes));
    }
    return nearest;
}

bool covers(std::span<const SizeBox> boxes, std::span<const std::int64_t> sizes) {
    return std::any_of(boxes.begin(), boxes.end(),
                       [&](const SizeBox& box) { return box.contains(sizes); });
}

}  // namespace jitune::internal
