// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "jitune/session.hpp"
#include "types/name_table.hpp"

JITUNE_BEGIN_NAMESPACE
using namespace internal;

namespace {

struct OriginRow {
    Origin value;
    const char* name;
};
constexpr std::array kOrigins{
    OriginRow{Origin::tuned, "tuned"},     OriginRow{Origin::stored, "stored"},
    OriginRow{Origin::nearest, "nearest"}, OriginRow{Origin::template_default, "default"},
    OriginRow{Origin::pinned, "pinned"},
};

}  // namespace

const char* to_string(Origin origin) {
    return row_of(kOrigins, origin, "an origin").name;
}

JITUNE_END_NAMESPACE
