# SPDX-License-Identifier: Apache-2.0
"""Runs SQL of the docs on a database with jitune's schema."""

import os
import sqlite3
import tempfile


def make_database(path, schema_folder):
    """The schema's files lead from version to version: schema_10.sql, schema_11.sql …"""
    files = sorted(schema_folder.glob("schema_*.sql"), key=lambda file: (len(file.name), file.name))
    connection = sqlite3.connect(path, isolation_level=None)
    for name in ("jitune_median_ns", "jitune_noise"):  # of migrations, which find no rows here
        connection.create_function(name, 1, lambda samples: None)
    for file in files:
        connection.executescript(file.read_text())
    return connection


def statements(text):
    """Split where SQLite says that a statement is complete."""
    part = ""
    for line in text.splitlines(keepends=True):
        part += line
        if sqlite3.complete_statement(part):
            yield part
            part = ""
    if part.strip():
        yield part


def run(block, schema_folder):
    """Nothing, or what is wrong."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # ATTACH 'other.db' is relative
        try:
            make_database("other.db", schema_folder).close()
            connection = make_database("mine.db", schema_folder)
            if block.marker == "shell-functions":
                name, _, count = block.value.partition("/")
                connection.create_function(name, int(count), lambda *values: None)
            for statement in statements(block.text):
                try:
                    connection.execute(statement).fetchall()
                except sqlite3.Error as error:
                    return f"{error}\n{statement}"
            connection.close()
        finally:
            os.chdir(before)
    return None
