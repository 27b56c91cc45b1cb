# SPDX-License-Identifier: Apache-2.0
"""Compiles CUDA text with the NVRTC library that is installed."""

import ctypes

OPTIONS = [b"--gpu-architecture=compute_75", b"--std=c++17"]


class Missing(Exception):
    """No NVRTC here."""


def load():
    for name in ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise Missing("there is no NVRTC to compile it with")


def compile_text(text):
    """The compiler's log if `text` does not compile, else nothing. Raises Missing."""
    library = load()
    program = ctypes.c_void_p()
    if library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"snippet.cu", 0, None, None) != 0:
        return "nvrtcCreateProgram failed"
    options = (ctypes.c_char_p * len(OPTIONS))(*OPTIONS)
    result = library.nvrtcCompileProgram(program, len(OPTIONS), options)
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return log.value.decode() or "it does not compile" if result != 0 else None
