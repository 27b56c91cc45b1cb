// SPDX-License-Identifier: Apache-2.0
#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <sstream>

#include <fmt/format.h>

#include "fake/fake_cuda_state.hpp"

// An NVRTC that "compiles" each name expression to one line of text, "symbol<tab>expression", which
// the fake driver reads again. A cubin has an ELF header in front, PTX a .version line.

namespace jitune::internal {
namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

constexpr std::array kArchs{75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
constexpr const char* kMark = "fake-cuda ";

struct FakeProgram {
    std::map<std::string, std::string> symbols;  ///< by expression
    std::string log;
    std::string cubin, ptx;
};

FakeProgram& at(nvrtcProgram handle) {
    return *reinterpret_cast<FakeProgram*>(handle);
}

#define ENTER_NVRTC(function)                                       \
    const Lock lock(fake_state().mutex);                            \
    const nvrtcResult entered = fake_state().enter_nvrtc(function); \
    if (entered != NVRTC_SUCCESS) {                                 \
        return entered;                                             \
    }

nvrtcResult version(int* major, int* minor) {
    ENTER_NVRTC("nvrtcVersion")
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
}

const char* error_string(nvrtcResult result) {
    return result == NVRTC_ERROR_COMPILATION ? "NVRTC_ERROR_COMPILATION"
                                             : "NVRTC_ERROR_INTERNAL_ERROR";
}

nvrtcResult arch_count(int* count) {
    ENTER_NVRTC("nvrtcGetNumSupportedArchs")
    *count = static_cast<int>(kArchs.size());
    return NVRTC_SUCCESS;
}

nvrtcResult archs(int* values) {
    ENTER_NVRTC("nvrtcGetSupportedArchs")
    std::copy(kArchs.begin(), kArchs.end(), values);
    return NVRTC_SUCCESS;
}

nvrtcResult create(nvrtcProgram* handle, const char*, const char*, int, const char* const*,
                   const char* const*) {
    ENTER_NVRTC("nvrtcCreateProgram")
    auto* program = new FakeProgram;
    fake_state().programs.insert(program);
    *handle = reinterpret_cast<nvrtcProgram>(program);
    return NVRTC_SUCCESS;
}

nvrtcResult destroy(nvrtcProgram* handle) {
    const Lock lock(fake_state().mutex);
    const nvrtcResult entered = fake_state().enter_nvrtc("nvrtcDestroyProgram");
    auto* program = reinterpret_cast<FakeProgram*>(*handle);
    if (fake_state().programs.erase(program) == 0) {
        fake_state().violate("an NVRTC program destroyed twice", CUDA_ERROR_INVALID_HANDLE);
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    delete program;
    *handle = nullptr;
    return entered;
}

nvrtcResult add(nvrtcProgram handle, const char* expression) {
    ENTER_NVRTC("nvrtcAddNameExpression")
    at(handle).symbols[expression] = fmt::format("_Z{:016x}", std::hash<std::string>{}(expression));
    return NVRTC_SUCCESS;
}

std::string elf_header() {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = 190;
    return {reinterpret_cast<const char*>(&header), sizeof header};
}

nvrtcResult compile(nvrtcProgram handle, int count, const char* const* options) {
    ENTER_NVRTC("nvrtcCompileProgram")
    FakeProgram& program = at(handle);
    std::string arch;
    for (int i = 0; i < count; ++i) {
        const std::string option = options[i];
        if (option.rfind("--gpu-architecture=", 0) == 0) {
            arch = option.substr(option.find('_') + 1);
        }
    }
    std::string text = kMark + arch + "\n";
    for (const auto& [expression, symbol] : program.symbols) {
        if (fake_state().owner.on_compile) {
            program.log += fake_state().owner.on_compile(expression).value_or("");
        }
        text += symbol + "\t" + expression + "\n";
    }
    program.cubin = elf_header() + text + std::string(1, '\0');
    program.ptx = ".version fake\n" + text + std::string(1, '\0');
    return program.log.empty() ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

nvrtcResult lowered(nvrtcProgram handle, const char* expression, const char** name) {
    ENTER_NVRTC("nvrtcGetLoweredName")
    const auto found = at(handle).symbols.find(expression);
    if (found == at(handle).symbols.end()) {
        return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    }
    *name = found->second.c_str();
    return NVRTC_SUCCESS;
}

template <std::string FakeProgram::*Text>
nvrtcResult size_of(nvrtcProgram handle, std::size_t* bytes) {
    ENTER_NVRTC("nvrtcGetSize")
    *bytes = (at(handle).*Text).size();
    return NVRTC_SUCCESS;
}

template <std::string FakeProgram::*Text>
nvrtcResult copy_of(nvrtcProgram handle, char* to) {
    ENTER_NVRTC("nvrtcGetText")
    std::copy((at(handle).*Text).begin(), (at(handle).*Text).end(), to);
    return NVRTC_SUCCESS;
}

}  // namespace

std::optional<FakeImage> read_fake_image(const char* image) {
    const char* text = image;
    if (std::memcmp(image, ELFMAG, SELFMAG) == 0) {
        text += sizeof(Elf64_Ehdr);
    } else {
        text = std::strchr(image, '\n');
        text += text != nullptr ? 1 : 0;
    }
    if (text == nullptr || std::strncmp(text, kMark, std::strlen(kMark)) != 0) {
        return std::nullopt;
    }
    std::istringstream lines(text + std::strlen(kMark));
    FakeImage result;
    lines >> result.compute_capability >> std::ws;
    std::string symbol;
    std::string expression;
    while (std::getline(lines, symbol, '\t') && std::getline(lines, expression)) {
        result.expressions[symbol] = expression;
    }
    return result;
}

std::shared_ptr<const NvrtcTable> fake_nvrtc_table() {
    auto table = std::make_shared<NvrtcTable>();
    table->nvrtcVersion = version;
    table->nvrtcGetErrorString = error_string;
    table->nvrtcGetNumSupportedArchs = arch_count;
    table->nvrtcGetSupportedArchs = archs;
    table->nvrtcCreateProgram = create;
    table->nvrtcDestroyProgram = destroy;
    table->nvrtcAddNameExpression = add;
    table->nvrtcCompileProgram = compile;
    table->nvrtcGetLoweredName = lowered;
    table->nvrtcGetProgramLogSize = size_of<&FakeProgram::log>;
    table->nvrtcGetProgramLog = copy_of<&FakeProgram::log>;
    table->nvrtcGetCUBINSize = size_of<&FakeProgram::cubin>;
    table->nvrtcGetCUBIN = copy_of<&FakeProgram::cubin>;
    table->nvrtcGetPTXSize = size_of<&FakeProgram::ptx>;
    table->nvrtcGetPTX = copy_of<&FakeProgram::ptx>;
    return table;
}

}  // namespace jitune::internal
