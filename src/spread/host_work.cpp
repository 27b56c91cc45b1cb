// SPDX-License-Identifier: Apache-2.0
#include "spread/host_work.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace jitune::internal {

std::vector<Part> partition(std::int64_t count, std::int64_t parts) {
    const std::int64_t used = std::min(parts, count);
    // The first `count % used` parts have one unit more.
    const auto start = [&](std::int64_t part) {
        return count / used * part + std::min(part, count % used);
    };
    std::vector<Part> result;
    for (std::int64_t i = 0; i < used; ++i) {
        result.push_back({start(i), start(i + 1)});
    }
    return result;
}

HostWork::HostWork(const Windows& windows, std::int64_t units, const LaunchSizes& sizes,
                   void* const* arrays)
    : windows_(windows),
      units_(units),
      sizes_(sizes),
      input_(static_cast<const std::byte*>(arrays[0])),
      value_(arrays[1]),
      output_(static_cast<std::byte*>(arrays[2])),
      staged_element_(windows.input_bytes) {}

void HostWork::convert_inputs(std::size_t bytes, Convert convert) {
    staged_element_ = bytes;
    convert_ = std::move(convert);
}

std::int64_t HostWork::outputs() const {
    return windows_.ends == Ends::valid ? units_ - 2 * windows_.radius : units_;
}

std::size_t HostWork::unit_bytes() const {
    return std::max(staged_bytes(1), windows_.bytes_out(1));
}

Chunk HostWork::chunk(const Part& part) const {
    const bool drops = windows_.ends == Ends::own;
    // The first output of a valid array belongs to the unit at `radius`.
    const std::int64_t reach = windows_.ends == Ends::valid ? 0 : windows_.radius;
    Chunk chunk;
    chunk.first = part.begin - reach;
    chunk.last = part.end - reach + 2 * windows_.radius;
    if (drops) {
        chunk.first = std::max<std::int64_t>(chunk.first, 0);
        chunk.last = std::min(chunk.last, units_);
        chunk.skipped = windows_.bytes_out(part.begin - chunk.first);
    }
    const std::int64_t inputs = chunk.last - chunk.first;
    chunk.sizes = sizes_;
    chunk.sizes.sizes.at(sizes_.units) = inputs;
    chunk.input_bytes = staged_bytes(inputs);
    chunk.output_bytes = windows_.bytes_out(drops ? inputs : part.end - part.begin);
    chunk.target = {output_ + windows_.bytes_out(part.begin),
                    windows_.bytes_out(part.end - part.begin)};
    if (!convert_ && chunk.first >= 0 && chunk.last <= units_) {
        chunk.source = input_ + windows_.bytes_in(chunk.first);
    }
    return chunk;
}

void HostWork::stage(const Chunk& chunk, std::byte* staging) const {
    const std::int64_t inside = std::clamp<std::int64_t>(chunk.first, 0, units_);
    const std::int64_t outside = std::clamp<std::int64_t>(chunk.last, inside, units_);
    const auto place = [&](std::int64_t unit) {
        return staging + staged_bytes(unit - chunk.first);
    };
    for (std::int64_t i = chunk.first; i < inside; ++i) {
        stage_outside(i, place(i));
    }
    stage_units(inside, outside - inside, place(inside));
    for (std::int64_t i = outside; i < chunk.last; ++i) {
        stage_outside(i, place(i));
    }
}

std::array<void*, 3> HostWork::arrays(void* input, void* output) const {
    return {input, value_, output};
}

std::size_t HostWork::staged_bytes(std::int64_t units) const {
    return static_cast<std::size_t>(units * windows_.unit_elements) * staged_element_;
}

void HostWork::stage_units(std::int64_t from, std::int64_t count, std::byte* to) const {
    const std::byte* const first = input_ + windows_.bytes_in(from);
    if (convert_) {
        convert_(first, static_cast<std::size_t>(count * windows_.unit_elements), to);
    } else {
        std::memcpy(to, first, windows_.bytes_in(count));
    }
}

void HostWork::stage_outside(std::int64_t unit, std::byte* to) const {
    if (windows_.ends == Ends::zero) {
        std::memset(to, 0, staged_bytes(1));
        return;
    }
    const std::int64_t from = windows_.ends == Ends::wrap
                                  ? (unit % units_ + units_) % units_
                                  : std::clamp<std::int64_t>(unit, 0, units_ - 1);
    stage_units(from, 1, to);
}

}  // namespace jitune::internal
