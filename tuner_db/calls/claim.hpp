// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sizes/size_box.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// A winner in a merge, with the sizes that it has, and keeps once the claims of its place are
/// settled.
struct Claim {
    Winner row;  ///< without its image
    std::string content;
    std::vector<SizeBox> boxes;
    std::int64_t rowid = 0;           ///< in this database; 0: it is not there
    std::int64_t source_rowid = 0;    ///< in the other database; 0: it is not there, or known
    std::vector<SizeBox> fresh = {};  ///< of `boxes`, those that no earlier merge has brought
    std::vector<std::int64_t> doubles = {};  ///< further rows of this content in this database
};

/// Settles the claims of one key and place: at each size, only the claim stays that supersedes()
/// all others. Neither the order of `claims` matters, nor whether some were settled before. A
/// pinned row keeps all its sizes.
void settle(std::vector<Claim>& claims);

/// WinnerRange::covers of these boxes: the same text for the same sizes. Empty: `sizes` alone.
std::string canonical_covers(const std::string& sizes, std::span<const SizeBox> boxes);

}  // namespace jitune::internal
