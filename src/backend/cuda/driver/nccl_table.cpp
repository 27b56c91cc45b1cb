// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/nccl_table.hpp"

#include "backend/shared_library.hpp"

namespace jitune::internal {

std::shared_ptr<const NcclTable> load_nccl() {
    const SharedLibrary library =
        SharedLibrary::open({"libnccl.so.2"}, SharedLibrary::Lifetime::process);
    auto table = std::make_shared<NcclTable>();
    library.resolve("ncclGetErrorString", table->error_string);
    library.resolve("ncclCommInitAll", table->init_all);
    library.resolve("ncclCommDestroy", table->destroy);
    library.resolve("ncclGroupStart", table->group_start);
    library.resolve("ncclGroupEnd", table->group_end);
    library.resolve("ncclAllGather", table->all_gather);
    library.resolve("ncclBroadcast", table->broadcast);
    return table;
}

}  // namespace jitune::internal
