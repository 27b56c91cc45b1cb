/* jitune template
kernel = "stencil"
backend = "machine"
summary = "where the stencil of an array in host memory is worked out"
include = ["stencil_types.toml", "placement.toml"]
cache = "warm"
sizes = ["n"]
constraints = [
    # Only there do all inputs lie beside each other in the caller's memory.
    "staging = 'pinned' OR boundary = 'valid'",
]
reproducibility = "iif(processors = 'all' AND element <> 'int32', 'any', 'fixed')"

[arguments]
input = { access = "in", type = "element", count = "n" }
weights = { access = "value", type = "element", count = "weight_count" }
n = { access = "scalar", type = "int64", value = "n" }
output = { access = "out", type = "element", count = "outputs" }

[[launch]]
entry = "jitune::place_stencil"
template = ["element", "radius", "weighting", "boundary", "processors", "gpus", "slots", "chunk_kib", "staging"]
arguments = ["input", "weights", "n", "output"]
*/
// There is no code: src/families/stencil/stencil_bands.cpp does what a placement says.
