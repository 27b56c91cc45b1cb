# SPDX-License-Identifier: Apache-2.0
"""The kernel's arguments of a tuning problem in T1, as a template declares them."""

import math
import os
from typing import NamedTuple

from .document import Refusal, given, given_list, member, text_member
from .expressions import BITS, NAME
from .toml import toml_text


class Type(NamedTuple):
    element: str
    bytes: int  # of an element
    lanes: int = 1  # elements of a CUDA vector type


TYPES = {
    "bool": Type("uint8", 1),
    "int8": Type("int8", 1),
    "uint8": Type("uint8", 1),
    "int16": Type("int16", 2),
    "uint16": Type("uint16", 2),
    "int": Type("int32", 4),
    "uint": Type("uint32", 4),
    "int32": Type("int32", 4),
    "uint32": Type("uint32", 4),
    "int64": Type("int64", 8),
    "uint64": Type("uint64", 8),
    "half": Type("float16", 2),
    "half2": Type("float16", 2, 2),
    "bfloat16": Type("bfloat16", 2),
    "float": Type("float32", 4),
    "float32": Type("float32", 4),
    "float2": Type("float32", 4, 2),
    "float4": Type("float32", 4, 4),
    "double": Type("float64", 8),
    "float64": Type("float64", 8),
    "double2": Type("float64", 8, 2),
    "double4": Type("float64", 8, 4),
}
ACCESSES = {"ReadOnly": "in", "WriteOnly": "out", "ReadWrite": "inout"}
FIXED = "a kernel cannot change it"


class Argument:
    """Translates one argument. Refusals name it and its member."""

    def __init__(self, json_object, name, scope, folder, notes):
        self._json = json_object
        self.name = name
        self._scope = scope
        self._folder = folder  # where data files lie
        self._notes = notes
        self._type = self._read_type()
        memory = text_member(json_object, "MemoryType")
        if memory == "Local":
            self._refuse(
                "MemoryType Local", "a kernel in CUDA takes no shared memory as an argument: use SharedMemory"
            )
        if memory not in ("Scalar", "Vector", "Symbol"):
            self._refuse(f"MemoryType {memory}", "jitune takes Scalar, Vector and Symbol")
        self.is_passed = memory != "Symbol"  # among the kernel's arguments
        self.is_written = False
        self.line = self._scalar() if memory == "Scalar" else self._vector()

    def _refuse(self, what, reason):
        raise Refusal(f"argument {self.name}: {what} is not supported: {reason}")

    def _place(self, key):
        return f"argument {self.name}: {key}"

    def _read_type(self):
        if not NAME.fullmatch(self.name):
            raise Refusal(f'Arguments: Name "{self.name}" is no name of letters, digits and _')
        word = text_member(self._json, "Type")
        if word not in TYPES:
            is_struct = word == "custom"
            self._refuse(
                f'Type "{word}"',
                "jitune fills arrays of numbers, not of structs" if is_struct else "neither jitune nor CUDA has it",
            )
        size = TYPES[word].bytes * TYPES[word].lanes
        stated = given(self._json, "TypeSize", size)
        if type(stated) is not int:
            raise Refusal('"TypeSize" must be an integer of at most 63 bits')
        if stated != size:
            self._refuse(f"TypeSize {stated}", f"{word} has {size} bytes")
        return TYPES[word]

    def _fill_value(self):
        """FillValue as a template writes it."""
        value = self._scope.number(given(self._json, "FillValue", 0), self._place("FillValue"))
        if not math.isfinite(value):
            raise Refusal(f"{self._place('FillValue')} must be a finite number, not {value}")
        return str(int(value)) if isinstance(value, int) else repr(value).removesuffix(".0")

    def _scalar(self):
        if self._type.lanes > 1:
            self._refuse(f'Type "{self._json["Type"]}" of a scalar', "jitune passes single numbers by value")
        access = text_member(self._json, "AccessType", "ReadOnly")
        if access != "ReadOnly":
            self._refuse(f"AccessType {access} of a scalar", FIXED)
        return (
            f'{self.name} = {{ access = "value", type = "{self._type.element}", value = "{self._fill_value()}" }}\n'
        )

    def _vector(self):
        access = text_member(self._json, "AccessType", "ReadWrite" if self.is_passed else "ReadOnly")
        if access not in ACCESSES:
            self._refuse(f"AccessType {access}", "jitune takes ReadOnly, WriteOnly and ReadWrite")
        self.is_written = access != "ReadOnly"
        self._check_output()
        size = self._scope.count(member(self._json, "Size"), self._place("Size"))
        count = size * self._type.lanes
        if count >> BITS:
            self._refuse(f"Size {size}", "it has more than 63 bits")
        line = f'{self.name} = {{ access = "{ACCESSES[access]}", type = "{self._type.element}", count = "{count}"'
        if access != "WriteOnly":  # of the others no content is read
            line += f", fill = {toml_text(self._fill())}"
        if self._type.lanes > 1:
            line += f", alignment = {self._type.bytes * self._type.lanes}"
        if self._is_constant():
            line += f', constant = "{self.name}"'
        return line + " }\n"

    def _is_constant(self):
        """Whether it fills a __constant__ variable of its name: KTT's Symbol, or what Kernel Tuner passes beside."""
        memory = text_member(self._json, "MemType", "Global")
        if memory not in ("Constant", "Global"):
            self._refuse(f"MemType {memory}", "jitune takes Constant and Global")
        is_constant = not self.is_passed or memory == "Constant"
        if is_constant and self.is_written:
            self._refuse("constant memory that is not ReadOnly", FIXED)
        return is_constant

    def _check_output(self):
        """Kernel Tuner's mark of an argument whose results are checked, which some files write as 0 or 1."""
        output = given(self._json, "Output")
        if output is None:
            return
        is_output = isinstance(output, (int, float)) and bool(output)
        if is_output and not self.is_written:
            self._refuse("Output of an argument that is ReadOnly", "declare it WriteOnly or ReadWrite")
        if not is_output and self.is_written:
            self._notes.append(f"{self._place('Output')} is not used: jitune checks each argument that is written")

    def _fill(self):
        fill = text_member(self._json, "FillType", "Random")
        if fill == "Constant":
            value = self._fill_value()
            return {"0": "zeros", "1": "ones"}.get(value, f"constant {value}")
        if fill == "Random":
            return self._random_fill()
        if fill == "BinaryRaw":
            return "raw " + self._data_file()
        self._refuse(f"FillType {fill}", "jitune takes Constant, Random and BinaryRaw")

    def _data_file(self):
        path = os.path.join(self._folder, text_member(self._json, "DataSource"))
        if "{" in path or "}" in path:  # a template would take what stands in braces for a name
            self._refuse(f'DataSource "{path}"', "it has braces; give file and folders a name without them")
        return path

    def _random_fill(self):
        """FillValue is the upper bound, as KTT has it."""
        value = self._fill_value()
        if given(self._json, "FillValue") is None:
            return "random"
        if value == "0" or value.startswith("-"):
            self._notes.append(
                f"{self._place('FillValue')} is not used: random data need an upper bound above 0"
            )
            return "random"
        return "random 0.." + value


def arguments_of(kernel, scope, folder, notes):
    """The arguments. Raises Refusal also where none is written: then no result could be checked."""
    arguments = [
        Argument(one, text_member(one, "Name", f"argument_{number}"), scope, folder, notes)
        for number, one in enumerate(given_list(kernel, "Arguments"))
    ]
    if not any(one.is_written for one in arguments):
        raise Refusal(
            "Arguments has none that is WriteOnly or ReadWrite: jitune checks the results of each candidate, so name "
            "the kernel's arguments"
        )
    return arguments
