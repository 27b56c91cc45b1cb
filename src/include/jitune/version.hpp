// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The version of these headers. While the major version is 0, two minor versions are incompatible.
#define JITUNE_VERSION_MAJOR 0
#define JITUNE_VERSION_MINOR 2
#define JITUNE_VERSION_PATCH 0
#define JITUNE_VERSION_STRING "0.2.0"
/// One number that grows with the version: 200 is 0.2.0.
#define JITUNE_VERSION \
    (JITUNE_VERSION_MAJOR * 10000 + JITUNE_VERSION_MINOR * 100 + JITUNE_VERSION_PATCH)

/// Public names stand in a namespace of their version, so that objects compiled with incompatible
/// versions do not link with each other.
#define JITUNE_BEGIN_NAMESPACE \
    namespace jitune {         \
    inline namespace v0_2 {
#define JITUNE_END_NAMESPACE \
    }                        \
    }
