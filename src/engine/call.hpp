#pragma once

#include <cstdint>
#include <span>

#include "backend/stream_site.hpp"
#include "engine/dispatch_table.hpp"

namespace jitune {

/// Enqueues an answer for `sizes` on `stream`, which `site` was found by, with the stream's work
/// memory. `arrays` as in LaunchRule::bind. Throws as LaunchRule::plan, StreamSite::scratch and
/// Program::launch do.
void launch(const Resolved& resolved, std::span<const std::int64_t> sizes,
            std::span<void* const> arrays, StreamSite& site, Stream stream);

}  // namespace jitune
