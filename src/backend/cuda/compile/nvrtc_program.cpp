// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/nvrtc_program.hpp"

namespace jitune::internal {
namespace {

constexpr const char* kCompileKernel = "compile a kernel";

}  // namespace

NvrtcProgram::NvrtcProgram(const NvrtcTable& nvrtc, const TemplateSource& source)
    : nvrtc_(nvrtc), handle_(nvrtc) {
    std::vector<const char*> names;
    std::vector<const char*> texts;
    for (const auto& [name, text] : source.headers) {
        names.push_back(name.c_str());
        texts.push_back(text.c_str());
    }
    const nvrtcResult result =
        nvrtc_.nvrtcCreateProgram(&handle_.program, source.text.c_str(), source.name.c_str(),
                                  static_cast<int>(names.size()), texts.data(), names.data());
    check(nvrtc_, result, "nvrtcCreateProgram", kCompileKernel);
}

void NvrtcProgram::add(const std::string& expression) {
    check(nvrtc_, nvrtc_.nvrtcAddNameExpression(handle_.program, expression.c_str()),
          "nvrtcAddNameExpression", kCompileKernel);
}

nvrtcResult NvrtcProgram::compile(const NvrtcTarget& target) {
    std::vector<const char*> options;
    for (const std::string& option : target.options) {
        options.push_back(option.c_str());
    }
    return nvrtc_.nvrtcCompileProgram(handle_.program, static_cast<int>(options.size()),
                                      options.data());
}

std::string NvrtcProgram::read(const char* call, GetSize size, GetText text) const {
    std::size_t bytes = 0;
    check(nvrtc_, size(handle_.program, &bytes), call, kCompileKernel);
    std::string result(bytes, '\0');
    check(nvrtc_, text(handle_.program, result.data()), call, kCompileKernel);
    return result;
}

std::string NvrtcProgram::log() const {
    std::string text =
        read("nvrtcGetProgramLog", nvrtc_.nvrtcGetProgramLogSize, nvrtc_.nvrtcGetProgramLog);
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) {
        text.pop_back();
    }
    return text;
}

std::string NvrtcProgram::image(bool cubin) const {
    return cubin ? read("nvrtcGetCUBIN", nvrtc_.nvrtcGetCUBINSize, nvrtc_.nvrtcGetCUBIN)
                 : read("nvrtcGetPTX", nvrtc_.nvrtcGetPTXSize, nvrtc_.nvrtcGetPTX);
}

std::string NvrtcProgram::lowered(const std::string& expression) const {
    const char* name = nullptr;
    const nvrtcResult result =
        nvrtc_.nvrtcGetLoweredName(handle_.program, expression.c_str(), &name);
    return result == NVRTC_SUCCESS && name != nullptr ? name : "";
}

}  // namespace jitune::internal
