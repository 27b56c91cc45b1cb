// SPDX-License-Identifier: Apache-2.0
// An NVRTC for processes of tests. A program with the name expression "kill" kills its process, one
// with "hang" never ends, after it has made the file that $ODD_NVRTC_FILE names. One with "slow"
// aborts where it is in use after the destructors of this library, and so does one with "slow
// first", which makes that file in the middle. The cubin of any other is the list of its
// expressions.
#include <fcntl.h>
#include <nvrtc.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

/// What the destructors of a library leave behind, while other threads may still be in it.
std::atomic<bool> is_gone{false};
struct Gone {
    ~Gone() {
        is_gone = true;
        ::usleep(20'000);  // those that are in it meet that
    }
};
const Gone at_load;

void require_life() {
    if (is_gone) {
        std::abort();
    }
}

}  // namespace

struct _nvrtcProgram {
    std::vector<std::string> expressions;
    std::string cubin;
};

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
}

const char* nvrtcGetErrorString(nvrtcResult /*result*/) {
    return "an error";
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
    *count = 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* archs) {
    *archs = 90;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* /*source*/, const char* /*name*/,
                               int /*headers*/, const char* const* /*texts*/,
                               const char* const* /*names*/) {
    *program = new _nvrtcProgram;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
    delete *program;
    *program = nullptr;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
    program->expressions.emplace_back(expression);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int /*count*/,
                                const char* const* /*options*/) {
    for (const std::string& expression : program->expressions) {
        if (expression == "kill") {
            ::kill(::getpid(), SIGKILL);
        }
        if (expression == "hang") {
            ::close(::open(std::getenv("ODD_NVRTC_FILE"), O_CREAT | O_WRONLY, 0600));
            while (true) {
                ::pause();
            }
        }
        if (expression == "slow") {
            static const Gone at_first_use;
            for (int i = 0; i < 20; ++i) {
                ::usleep(1000);
                require_life();
            }
        }
        if (expression == "slow first") {
            static const Gone at_first_use;
            ::usleep(50'000);
            ::close(::open(std::getenv("ODD_NVRTC_FILE"), O_CREAT | O_WRONLY, 0600));
            for (int i = 0; i < 200; ++i) {
                ::usleep(1000);
                require_life();
            }
        }
        program->cubin += expression + '\n';
    }
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name) {
    for (const std::string& known : program->expressions) {
        if (known == expression) {
            *name = known.c_str();
        }
    }
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram /*program*/, std::size_t* bytes) {
    *bytes = 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram /*program*/, char* log) {
    *log = '\0';
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* bytes) {
    *bytes = program->cubin.size();
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin) {
    std::memcpy(cubin, program->cubin.data(), program->cubin.size());
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram /*program*/, std::size_t* /*bytes*/) {
    return NVRTC_ERROR_INVALID_INPUT;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram /*program*/, char* /*ptx*/) {
    return NVRTC_ERROR_INVALID_INPUT;
}
}
