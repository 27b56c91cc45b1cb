# SPDX-License-Identifier: Apache-2.0
"""Python's expressions in tuning problems, as `ast` parses them. No text is ever run."""

import ast
import functools
import math
import re

from .document import Refusal

LONGEST_EXPRESSION = 1 << 20  # characters
LONGEST_NUMBER = 400  # characters: Python takes long for the integers that have more
DEEPEST = 100  # levels of operands
SHOWN = 500  # characters of a text in a message
BITS = 63
TOO_DEEP = f"nested more than {DEEPEST} levels deep"
TOO_LARGE = f"this number is too large: integers have {BITS} bits"

NAME = re.compile("[A-Za-z_][A-Za-z_0-9]{0,63}")
TOKEN = re.compile(r"""'[^']*'|"[^"]*"|&&|\|\||<>|!=|[ \t\r\n]+|[A-Za-z_0-9.]+|.""", re.DOTALL)
# C's operators. `~` binds as tight as C's `!` does; bit operations have no other use for it.
SPELLINGS = {"&&": " and ", "||": " or ", "<>": "!=", "!": "~"}

LISTS = (ast.List, ast.Tuple)
COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp)
NAMES = (ast.Name, ast.Attribute)
KNOWN_NODES = (
    *LISTS, *COMPREHENSIONS, ast.Name, ast.BoolOp, ast.IfExp, ast.Subscript, ast.UnaryOp, ast.comprehension,
    ast.boolop, ast.cmpop, ast.expr_context, ast.operator, ast.unaryop,
)  # fmt: skip


class Expression:
    """A parsed expression; several with commas between them are a list. Raises Refusal."""

    def __init__(self, text):
        self.text = text
        self._code = ""
        self._origins = []  # of each byte of the code: where its token begins in the text
        self._read_tokens()
        self.root = self._parsed()
        self._check_nodes()

    def refuse(self, place, message):
        """Raises Refusal that quotes the expression. The place is a node, or an offset in the text."""
        offset = self._offset(place) if isinstance(place, ast.AST) else place
        shown = self.text[:SHOWN] + ("…" if len(self.text) > SHOWN else "")
        raise Refusal(f'expression "{shown}", position {offset + 1}: {message}')

    def _offset(self, node):
        """Of its first token; of an operation between two operands, of the operator."""
        at = node.col_offset
        if isinstance(node, ast.BinOp):
            code = self._code.encode()
            at = node.left.end_col_offset
            while code[at : at + 1] in (b" ", b")"):
                at += 1
        return self._origin(at)

    def _origin(self, at):
        return self._origins[at] if at < len(self._origins) else len(self.text)

    def _read_tokens(self):
        """Writes C's operators as Python's. Refuses what it has another use for, and what Python takes long for."""
        if len(self.text) > LONGEST_EXPRESSION:
            self.refuse(0, f"it has more than {LONGEST_EXPRESSION} characters: write less")
        pieces = []
        depth = 0
        for token in TOKEN.finditer(self.text):
            at, word = token.start(), token.group()
            depth += (word in ("(", "[")) - (word in (")", "]"))
            if depth > DEEPEST:
                self.refuse(at, TOO_DEEP)
            complaint = token_complaint(word)
            if complaint:
                self.refuse(at, complaint)
            piece = " " if word.isspace() else SPELLINGS.get(word, word)
            if pieces or piece != " ":  # Python takes a first space for an indentation
                pieces.append(piece)
                self._origins += [at] * len(piece.encode("utf-8", "replace"))
        self._code = "".join(pieces)

    def _parsed(self):
        try:
            return ast.parse(self._code, mode="eval").body
        except SyntaxError as error:
            at = self._origin(error.offset - 1) if error.offset else len(self.text)
            self.refuse(at, f"Python says: {error.msg}")
        except ValueError as error:  # a character of value 0, or half of one
            self.refuse(0, f"Python says: {error}")
        except (MemoryError, RecursionError):
            self.refuse(0, TOO_DEEP)

    def _check_nodes(self):
        rest = [(self.root, 0)]
        while rest:
            node, level = rest.pop()
            if level > DEEPEST and isinstance(node, ast.expr):
                self.refuse(node, TOO_DEEP)
            if not is_supported(node):
                source = self._code.encode()[node.col_offset : node.end_col_offset].decode()
                self.refuse(node, f'"{source[:SHOWN]}" is not supported here')
            complaint = node_complaint(node)
            if complaint:
                self.refuse(node, complaint)
            rest += [(child, level + 1) for child in ast.iter_child_nodes(node)]


def token_complaint(word):
    """Why a token is not supported; empty where it is."""
    if word == "~":
        return "bit operations are not supported"
    if word in ("'", '"'):
        return "expected a second quote to end this text"
    if word[0] in "'\"" and "\\" in word:
        return '"\\" in a text is not supported: leave it out'
    return TOO_LARGE if word[0].isdigit() and len(word) > LONGEST_NUMBER else ""


def is_supported(node):
    """Whether the node is of a kind that has a value here."""
    if isinstance(node, ast.Constant):
        return type(node.value) in (bool, int, float, str)
    if isinstance(node, ast.Compare):
        return not any(isinstance(one, (ast.Is, ast.IsNot)) for one in node.ops)
    if isinstance(node, ast.BinOp):
        return not isinstance(node.op, ast.MatMult)
    if isinstance(node, (ast.Attribute, ast.Call)):
        return isinstance(node.value if isinstance(node, ast.Attribute) else node.func, NAMES)
    return isinstance(node, KNOWN_NODES)


def node_complaint(node):
    """What else is wrong with a node; empty where nothing is."""
    if isinstance(node, ast.Constant):
        is_large = abs(node.value) >> BITS if type(node.value) is int else node.value == math.inf
        return TOO_LARGE if is_large else ""
    if isinstance(node, COMPREHENSIONS):
        of = node.generators[0]
        if len(node.generators) > 1 or len(of.ifs) > 1 or of.is_async:
            return 'a comprehension may have one "for" and one "if": write the list out'
        if not isinstance(of.target, ast.Name):
            return "a comprehension must have one variable"
    return ""


@functools.lru_cache(maxsize=None)
def names_of(node):
    """The names that a part needs, without functions and the variables of comprehensions."""
    if isinstance(node, NAMES):
        return frozenset([ast.unparse(node)])
    parts = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    names = frozenset().union(*map(names_of, parts))
    return names - {node.generators[0].target.id} if isinstance(node, COMPREHENSIONS) else names
