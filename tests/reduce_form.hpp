#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "jitune/element_type.hpp"

namespace jitune {

/// How reduce.cu's threads share the elements out.
struct ReduceForm {
    int block = 256;
    int unroll = 4;       ///< packs of a thread in flight
    int pack_bytes = 16;  ///< or one element, where that is more
    int blocks_per_sm = 8;
    int threads_per_sm = 0;
    std::string_view load = "standard";
    int bulk_stages = 0;
    int index_bytes = 8;  ///< of arg_min and arg_max

    [[nodiscard]] std::size_t tile(ElementType element) const {
        return static_cast<std::size_t>(block) * items(element);
    }

    /// The configuration of reduce.cu that has this form and a finish.
    [[nodiscard]] std::string text(ElementType element, std::string_view finish,
                                   int cluster = 4) const {
        return fmt::format(
            "block={} items_per_thread={} pack_bytes={} blocks_per_sm={} threads_per_sm={} "
            "load={} finish={} cluster={} bulk_stages={} index_bytes={}",
            block, items(element), pack(element) * bytes_of(element),
            finish == "direct" ? 0 : blocks_per_sm, threads_per_sm, load, finish,
            finish == "cluster" ? cluster : 1, bulk_stages, index_bytes);
    }

private:
    [[nodiscard]] std::size_t pack(ElementType element) const {
        return std::max<std::size_t>(static_cast<std::size_t>(pack_bytes) / bytes_of(element), 1);
    }
    [[nodiscard]] std::size_t items(ElementType element) const {
        return static_cast<std::size_t>(unroll) * pack(element);
    }
};

inline constexpr std::string_view kFinishes[] = {"direct", "slots",   "ticket",      "packed",
                                                 "atomic", "cluster", "two_launches"};

}  // namespace jitune
