// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace jitune::internal {

/// State that a layer above keeps in an engine. It may use the engine's devices and is destroyed
/// before them.
class EnginePart {
public:
    EnginePart() = default;
    virtual ~EnginePart() = default;
    EnginePart(const EnginePart&) = delete;
    EnginePart& operator=(const EnginePart&) = delete;
};

}  // namespace jitune::internal
