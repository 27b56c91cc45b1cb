// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "backend/device.hpp"

namespace jitune::internal {

/// Says in one line why `source` must not be given to the compiler: it has a NUL, or an #include of
/// a header that is neither in TemplateSource::headers nor of the toolkit, in `folders`. NVRTC
/// would read such a header from disk, and the hash that names the source in the database would not
/// cover it. A source that names folders of its own, whose headers are part of the hash, is left to
/// NVRTC.
std::optional<std::string> flaw_of_source(const TemplateSource& source,
                                          std::span<const std::string> folders);

/// True if `source` includes anything but TemplateSource::headers.
bool includes_others(const TemplateSource& source);

/// True if nothing in `source` is named as what NVRTC's --minimal leaves out: textures, surfaces
/// and the CUDA runtime's types and functions (NVRTC user guide).
bool is_plain(const TemplateSource& source);

/// Says in one line why `expression` is neither a plain name with template arguments nor the
/// address of a variable. NVRTC preprocesses expressions and evaluates commas, so that they could
/// include files or name something else.
std::optional<std::string> flaw_of_expression(std::string_view expression);

}  // namespace jitune::internal
