// SPDX-License-Identifier: Apache-2.0
#include "families/own/npy.hpp"
#include "fuzz/fuzz_target.hpp"
#include "jitune/element_type.hpp"

using namespace jitune::internal;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    answers_or_refuses([&] {
        const NpyHeader header =
            parse_npy({reinterpret_cast<const std::byte*>(data), size}, "input.npy");
        promise(header.data_offset + header.count * jitune::bytes_of(header.type) == size,
                "the elements fill the file");
    });
    return 0;
}
