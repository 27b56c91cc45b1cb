// SPDX-License-Identifier: Apache-2.0
#include "sizes/box_sets.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace jitune::internal {

namespace {

using BoxPointers = std::vector<const SizeBox*>;

void append_boxes(std::vector<SizeBox>& boxes, std::vector<SizeBox> more) {
    std::move(more.begin(), more.end(), std::back_inserter(boxes));
}

/// The place behind the end of a box, be it behind the last int64.
std::uint64_t behind(const SizeBox& box, std::size_t dimension) {
    return static_cast<std::uint64_t>(box.to[dimension]) + 1;
}

/// The sizes of `boxes`, sorted in this dimension, as if they had no other.
std::vector<SizeBox> united_intervals(const BoxPointers& boxes, std::size_t dimension) {
    std::vector<SizeBox> result;
    for (const SizeBox* const box : boxes) {
        const std::int64_t from = box->from[dimension];
        const std::int64_t to = box->to[dimension];
        if (!result.empty() && static_cast<std::uint64_t>(from) <= behind(result.back(), 0)) {
            result.back().to[0] = std::max(result.back().to[0], to);
        } else {
            result.push_back({{from}, {to}});
        }
    }
    return result;
}

/// The sizes of `boxes` in the dimensions from `first` on. Slabs across the first of them between
/// the boxes' ends; neighbours with the same cross-section are one slab.
std::vector<SizeBox> united_from(BoxPointers boxes, std::size_t first) {
    std::sort(boxes.begin(), boxes.end(), [&](const SizeBox* left, const SizeBox* right) {
        return left->from[first] < right->from[first];
    });
    if (first + 1 == boxes.front()->from.size()) {
        return united_intervals(boxes, first);
    }
    std::set<std::uint64_t> starts;
    for (const SizeBox* const box : boxes) {
        starts.insert(static_cast<std::uint64_t>(box->from[first]));
        starts.insert(behind(*box, first));
    }
    struct Slab {
        std::int64_t from, to;
        std::vector<SizeBox> across;
    };
    std::vector<Slab> slabs;
    BoxPointers inside;
    auto next = boxes.begin();
    for (auto start = starts.begin(); std::next(start) != starts.end(); ++start) {
        const auto from = static_cast<std::int64_t>(*start);
        const auto to = static_cast<std::int64_t>(*std::next(start) - 1);
        std::erase_if(inside, [&](const SizeBox* box) { return box->to[first] < from; });
        for (; next != boxes.end() && (*next)->from[first] == from; ++next) {
            inside.push_back(*next);
        }
        std::vector<SizeBox> across =
            inside.empty() ? std::vector<SizeBox>{} : united_from(inside, first + 1);
        if (!slabs.empty() && slabs.back().across == across) {
            slabs.back().to = to;
        } else {
            slabs.push_back({from, to, std::move(across)});
        }
    }
    std::vector<SizeBox> result;
    for (Slab& slab : slabs) {
        for (SizeBox& box : slab.across) {
            box.from.insert(box.from.begin(), slab.from);
            box.to.insert(box.to.begin(), slab.to);
            result.push_back(std::move(box));
        }
    }
    return result;
}

double area_of(const SizeBox& box) {
    double product = 1;
    for (std::size_t i = 0; i < box.from.size(); ++i) {
        product *= std::log2(static_cast<double>(box.to[i]) + 1) -
                   std::log2(static_cast<double>(box.from[i]));
    }
    return product;
}

}  // namespace

BoxIndex::BoxIndex(std::span<const SizeBox> boxes) {
    for (const SizeBox& box : boxes) {
        entries_.push_back({&box, entries_.size(), box.to.front()});
    }
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& left, const Entry& right) {
        return left.box->from.front() < right.box->from.front();
    });
    for (std::size_t i = 1; i < entries_.size(); ++i) {
        entries_[i].furthest = std::max(entries_[i].furthest, entries_[i - 1].furthest);
    }
}

std::vector<SizeBox> BoxIndex::outside(const SizeBox& box, std::size_t count) const {
    std::vector<SizeBox> done;  // ends before all that follow
    std::vector<SizeBox> open{box};
    auto entry = std::partition_point(entries_.begin(), entries_.end(), [&](const Entry& one) {
        return one.furthest < box.from.front();
    });
    for (; entry != entries_.end() && entry->box->from.front() <= box.to.front(); ++entry) {
        if (entry->index >= count || !entry->box->overlaps(box)) {
            continue;
        }
        std::vector<SizeBox> rest;
        for (SizeBox& part : open) {
            if (part.to.front() < entry->box->from.front()) {
                done.push_back(std::move(part));
            } else {
                append_boxes(rest, part.outside(*entry->box));
            }
        }
        open = std::move(rest);
    }
    append_boxes(done, std::move(open));
    return done;
}

std::vector<std::size_t> BoxIndex::holding(std::span<const std::int64_t> sizes) const {
    std::vector<std::size_t> indexes;
    auto entry = std::partition_point(entries_.begin(), entries_.end(), [&](const Entry& one) {
        return one.furthest < sizes.front();
    });
    for (; entry != entries_.end() && entry->box->from.front() <= sizes.front(); ++entry) {
        if (entry->box->contains(sizes)) {
            indexes.push_back(entry->index);
        }
    }
    return indexes;
}

std::vector<SizeBox> outside(std::span<const SizeBox> boxes, std::span<const SizeBox> others) {
    const BoxIndex index(others);
    std::vector<SizeBox> rest;
    for (const SizeBox& box : boxes) {
        append_boxes(rest, index.outside(box, others.size()));
    }
    return rest;
}

std::vector<SizeBox> united(std::span<const SizeBox> boxes) {
    BoxPointers all;
    for (const SizeBox& box : boxes) {
        all.push_back(&box);
    }
    return all.empty() ? std::vector<SizeBox>{} : united_from(std::move(all), 0);
}

SizeBox box_around(std::span<const SizeBox> boxes) {
    SizeBox all = boxes.front();
    for (const SizeBox& box : boxes) {
        for (std::size_t i = 0; i < all.from.size(); ++i) {
            all.from[i] = std::min(all.from[i], box.from[i]);
            all.to[i] = std::max(all.to[i], box.to[i]);
        }
    }
    return all;
}

double share_of(std::span<const SizeBox> boxes, const SizeBox& whole) {
    std::vector<SizeBox> inside;
    for (const SizeBox& box : boxes) {
        if (box.overlaps(whole)) {
            inside.push_back(box.common(whole));
        }
    }
    double area = 0;
    for (const SizeBox& box : united(inside)) {
        area += area_of(box);
    }
    return area / area_of(whole);
}

}  // namespace jitune::internal
