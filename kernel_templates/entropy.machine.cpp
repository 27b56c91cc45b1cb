/* jitune template
kernel = "entropy"
backend = "machine"
summary = "where the entropy of an array in host memory is worked out"
include = ["entropy_types.toml", "placement.toml"]
cache = "warm"
sizes = ["rows", "columns"]
constraints = [
    "transfer = 'elements' OR (gpus > 0 AND element_bytes > 1 AND staging = 'pinned')",
]
reproducibility = "iif(processors = 'all', 'any', 'fixed')"

[parameters]
# Elements as they are, or levels, which fit a byte.
transfer = { values = ["elements", "bytes"], default = "elements", type = "jitune::Transfer" }

[derived]
bytes = "rows * columns * (element_bytes + 4)"

[arguments]
input = { access = "in", type = "element", count = "rows * columns" }
rows = { access = "scalar", type = "int64", value = "rows" }
columns = { access = "scalar", type = "int64", value = "columns" }
scale = { access = "value", type = "float64", value = "1.0" }
output = { access = "out", type = "float32", count = "rows * columns" }

[[launch]]
entry = "jitune::place_entropy"
template = ["element", "window", "levels", "transfer", "processors", "gpus", "slots", "chunk_kib", "staging"]
arguments = ["input", "rows", "columns", "scale", "output"]
*/
// There is no code: src/families/entropy/entropy_bands.cpp does what a placement says.
