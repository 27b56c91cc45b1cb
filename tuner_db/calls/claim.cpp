// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/calls/claim.hpp"

#include <algorithm>
#include <span>

#include "sizes/box_sets.hpp"
#include "tuner_db/winners/precedence.hpp"

namespace jitune::internal {

void settle(std::vector<Claim>& claims) {
    std::sort(claims.begin(), claims.end(), [](const Claim& left, const Claim& right) {
        return supersedes(left.row, right.row);
    });
    std::vector<SizeBox> all;
    for (const Claim& claim : claims) {
        all.insert(all.end(), claim.boxes.begin(), claim.boxes.end());
    }
    const BoxIndex index(all);
    std::size_t before = 0;
    for (Claim& claim : claims) {
        std::vector<SizeBox> left;
        for (const SizeBox& box : claim.boxes) {
            const std::vector<SizeBox> parts =
                claim.row.pinned ? std::vector<SizeBox>{box} : index.outside(box, before);
            left.insert(left.end(), parts.begin(), parts.end());
        }
        before += claim.boxes.size();
        claim.boxes = std::move(left);
    }
}

std::string canonical_covers(const std::string& sizes, std::span<const SizeBox> boxes) {
    const auto tuned_at = exact_sizes(sizes);
    const std::vector<SizeBox> all = united(boxes);
    return tuned_at && all.size() == 1 && all.front() == SizeBox::point(*tuned_at)
               ? ""
               : coverage_text(all, size_names(sizes));
}

}  // namespace jitune::internal
