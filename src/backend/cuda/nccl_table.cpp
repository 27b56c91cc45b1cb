#include "backend/cuda/nccl_table.hpp"

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/shared_library.hpp"

namespace jitune {

namespace {

template <class Function>
void resolve(const SharedLibrary& library, const char* symbol, Function& function) {
    void* const address = library.find(symbol);
    if (address == nullptr) {
        throw Error(ErrorKind::unavailable, fmt::format("NCCL has no {}", symbol));
    }
    function = reinterpret_cast<Function>(address);
}

}  // namespace

std::shared_ptr<const NcclTable> load_nccl() {
    const SharedLibrary library =
        SharedLibrary::open({"libnccl.so.2"}, SharedLibrary::Lifetime::process);
    auto table = std::make_shared<NcclTable>();
    resolve(library, "ncclGetErrorString", table->error_string);
    resolve(library, "ncclCommInitAll", table->init_all);
    resolve(library, "ncclCommDestroy", table->destroy);
    resolve(library, "ncclGroupStart", table->group_start);
    resolve(library, "ncclGroupEnd", table->group_end);
    resolve(library, "ncclAllGather", table->all_gather);
    resolve(library, "ncclBroadcast", table->broadcast);
    return table;
}

}  // namespace jitune
