// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace jitune::internal {

/// What the layer above keeps with an engine, and uses its devices. Destroyed before them.
class EnginePart {
public:
    EnginePart() = default;
    virtual ~EnginePart() = default;
    EnginePart(const EnginePart&) = delete;
    EnginePart& operator=(const EnginePart&) = delete;
};

}  // namespace jitune::internal
