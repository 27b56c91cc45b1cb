// SPDX-License-Identifier: Apache-2.0
#pragma once

// All of jitune's public headers.

#include "jitune/element_type.hpp"   // IWYU pragma: export
#include "jitune/entropy.hpp"        // IWYU pragma: export
#include "jitune/error.hpp"          // IWYU pragma: export
#include "jitune/map_reduce.hpp"     // IWYU pragma: export
#include "jitune/options.hpp"        // IWYU pragma: export
#include "jitune/reduce.hpp"         // IWYU pragma: export
#include "jitune/reduce_shapes.hpp"  // IWYU pragma: export
#include "jitune/reduction.hpp"      // IWYU pragma: export
#include "jitune/session.hpp"        // IWYU pragma: export
#include "jitune/shards.hpp"         // IWYU pragma: export
#include "jitune/stencil.hpp"        // IWYU pragma: export
#include "jitune/tuned_kernel.hpp"   // IWYU pragma: export
#include "jitune/version.hpp"        // IWYU pragma: export
