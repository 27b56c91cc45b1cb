#include "engine/dispatch_table.hpp"

namespace jitune {

std::uint64_t next_serial() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace jitune
