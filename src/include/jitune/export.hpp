#pragma once

/// Marks what a shared jitune offers; everything else in it is hidden.
#define JITUNE_API __attribute__((visibility("default")))
