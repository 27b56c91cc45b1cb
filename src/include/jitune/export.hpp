// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jitune/version.hpp"

/// Marks what a shared jitune offers; everything else in it is hidden.
#define JITUNE_API __attribute__((visibility("default")))
