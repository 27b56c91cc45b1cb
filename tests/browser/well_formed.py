# SPDX-License-Identifier: Apache-2.0
"""Parses pages of `jitune report` as XML and as HTML: of an empty database, a made-up one and a large one."""
import argparse
import html.parser
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

MOST_BYTES = 1_000_000
VOID = {"meta"}


class Nesting(html.parser.HTMLParser):
    """Finds tags that end what did not begin."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.wrong = []

    def handle_starttag(self, tag, attrs):
        names = [name for name, value in attrs]
        if len(set(names)) < len(names):
            self.wrong.append(f"{tag} has an attribute twice")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> in line {self.getpos()[0]}")


def complaints_about(page):
    data = page.read_bytes()
    if len(data) > MOST_BYTES:
        return [f"{len(data)} bytes"]
    try:
        xml.etree.ElementTree.fromstring(data)
    except xml.etree.ElementTree.ParseError as error:
        return [str(error)]
    nesting = Nesting()
    nesting.feed(data.decode("utf-8"))
    nesting.close()
    return nesting.wrong + [f"<{tag}> does not end" for tag in nesting.open]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jitune", required=True)
    parser.add_argument("--make-database", required=True)
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o700)
        for what, more in {"empty": ["--empty"], "made": [], "large": ["20000"]}.items():
            database = folder / f"{what}.db"
            page = folder / f"{what}.html"
            subprocess.run([options.make_database, database, *more], check=True)
            subprocess.run([options.jitune, "report", "--db", database, "--out", page, "--log", "error"], check=True)
            for complaint in complaints_about(page):
                print(f"{what}: {complaint}")
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
