// The place of an operation that a caller gives as source text: jitune::Custom.
#pragma once
