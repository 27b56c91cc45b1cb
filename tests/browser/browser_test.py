# SPDX-License-Identifier: Apache-2.0
"""Opens the page of `jitune report` in a headless Chromium, uses it, and checks that everybody can. Keeps pictures of it at
three widths, in light and dark. Ends with 77 where the browser is not installed."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import accessibility
from webdriver import Browser

WIDTHS = (400, 900, 1600)
SCHEMES = ("light", "dark")
TAB = "\ue004"
ENTER = "\ue007"
NOT_INSTALLED = 77
options = None


def made_page(folder):
    """The page of a made-up database, by the command."""
    database = folder / "made.db"
    subprocess.run([options.make_database, database], check=True)
    page = folder / "report.html"
    subprocess.run([options.jitune, "report", "--db", database, "--out", page], check=True, stdout=subprocess.DEVNULL)
    return page


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        folder.chmod(0o700)
        cls.page = made_page(folder)
        cls.browser = cls.enterClassContext(Browser(folder))

    def setUp(self):
        self.browser.allow_scripts(True)
        self.browser.prefer("light")
        self.browser.resize(1200)
        self.browser.open(self.page)

    def tearDown(self):
        self.assertEqual(self.browser.console(), [])

    def column(self, table, column):
        return self.browser.run("return Array.from(document.querySelectorAll(arguments[0])[arguments[1]].tBodies[0].rows, "
                                "row => row.cells[arguments[2]].dataset.v ?? row.cells[arguments[2]].textContent)",
                                "table.sortable", table, column)

    def test_sorts_by_numbers_and_by_texts(self):
        # The winners by the time that they saved: calls are the fifth column.
        press = ("const table = document.querySelectorAll('table.sortable')[1];"
                 "table.tHead.rows[0].cells[arguments[0]].querySelector('button').click();"
                 "return table.tHead.rows[0].cells[arguments[0]].getAttribute('aria-sort')")
        before = self.column(1, 4)
        self.assertEqual(self.browser.run(press, 4), "ascending")
        self.assertEqual(self.column(1, 4), sorted(before, key=float))
        self.assertEqual(self.browser.run(press, 4), "descending")
        self.assertEqual(self.column(1, 4), sorted(before, key=float, reverse=True))
        self.assertEqual(self.browser.run(press, 0), "ascending")
        kernels = self.column(1, 0)
        self.assertEqual(sorted(kernels), sorted(kernels, key=kernels.index))
        self.assertEqual(self.browser.run("return document.querySelectorAll('[aria-sort]').length"), 1)

    def test_sorts_by_the_keyboard(self):
        self.browser.run("document.querySelectorAll('table.sortable')[1].tHead.rows[0].cells[4]"
                         ".querySelector('button').focus()")
        self.browser.press(ENTER)
        self.assertEqual(self.column(1, 4), sorted(self.column(1, 4), key=float))

    def test_filters_rows(self):
        shown = ("const input = document.querySelector('.filter input'); input.value = arguments[0];"
                 "input.dispatchEvent(new Event('input'));"
                 "const rows = [...input.closest('label').nextElementSibling.querySelector('tbody').rows];"
                 "return [rows.filter(row => row.checkVisibility()).map(row => row.textContent.toLowerCase()), rows.length]")
        rows, count = self.browser.run(shown, "stencil 2026")
        self.assertTrue(0 < len(rows) < count)
        self.assertTrue(all("stencil" in row for row in rows))
        self.assertEqual(self.browser.run(shown, "no such row")[0], [])
        self.assertEqual(len(self.browser.run(shown, "")[0]), count)

    def test_shows_hints_under_the_pointer(self):
        where = self.browser.run("const mark = document.querySelector('#rates figure .mark.winner');"
                                 "mark.scrollIntoView({block: 'center'}); const box = mark.getBoundingClientRect();"
                                 "return [box.left + 3, box.top + 3]")
        self.browser.move_pointer(*where)
        text = self.browser.run("const hint = document.querySelector('.hint'); return hint.hidden ? '' : hint.textContent")
        self.assertIn("GB/s", text)

    def test_shows_everything_without_scripts(self):
        with_scripts = self.tables_and_pictures()
        self.browser.allow_scripts(False)
        self.browser.open(self.page)
        self.assertEqual(self.tables_and_pictures(), with_scripts)
        self.assertEqual(self.count_of("button, .filter, .hint"), 0)
        self.assertGreater(self.count_of("svg circle > title"), 100)

    def count_of(self, selector):
        """Also where scripts are off."""
        root = self.browser.devtools("DOM.getDocument")["root"]["nodeId"]
        return len(self.browser.devtools("DOM.querySelectorAll", nodeId=root, selector=selector)["nodeIds"])

    def tables_and_pictures(self):
        return [self.count_of(selector) for selector in ("section", "table", "tbody tr", "td", "svg[role=img]", "h3")]

    def test_makes_no_elements_of_the_database_s_texts(self):
        self.assertIn("<img src=x onerror=alert(1)>", self.browser.run("return document.body.textContent"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('img, iframe, object').length"), 0)

    def test_runs_no_script_but_its_own(self):
        self.browser.run("const script = document.createElement('script'); script.textContent = 'window.intruder = 1';"
                         "document.body.append(script)")
        self.assertIsNone(self.browser.run("return window.intruder"))
        self.assertIn("Content Security Policy", " ".join(self.browser.console()))

    def test_fits_every_width_in_light_and_dark(self):
        for width in WIDTHS:
            for scheme in SCHEMES:
                with self.subTest(width=width, scheme=scheme):
                    self.browser.resize(width)
                    self.browser.prefer(scheme)
                    self.browser.open(self.page)
                    self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
                    self.browser.picture(options.keep / f"report-{width}-{scheme}.png")

    def test_has_enough_contrast(self):
        for scheme in SCHEMES:
            self.browser.prefer(scheme)
            self.browser.open(self.page)
            self.assertEqual(self.browser.run(accessibility.LOW_CONTRAST), [], scheme)

    def test_prints_what_is_folded(self):
        self.browser.devtools("Emulation.setEmulatedMedia", media="print")
        try:
            self.assertTrue(self.browser.run("return document.querySelector('details table').checkVisibility()"))
            self.assertFalse(self.browser.run("return document.querySelector('nav').checkVisibility()"))
            self.assertGreater(len(self.browser.devtools("Page.printToPDF")["data"]), 10_000)
        finally:
            self.browser.devtools("Emulation.setEmulatedMedia", media="")

    def test_can_be_read_by_a_screen_reader(self):
        tree = self.browser.devtools("Accessibility.getFullAXTree")["nodes"]
        self.assertEqual(accessibility.complaints_about_tree(tree), [])
        self.assertEqual(self.browser.run(accessibility.BAD_MARKUP), [])

    def test_can_be_used_by_the_keyboard(self):
        expected = self.browser.run(accessibility.FOCUSABLE)
        reached = set()
        for step in range(expected + 1):
            self.browser.press(TAB)
            place, name, is_outlined = self.browser.run(accessibility.FOCUSED)
            if place is None:
                break
            if step == 0:
                self.assertEqual(name, "To the report")
            self.assertTrue(is_outlined, name)
            reached.add(place)
        self.assertEqual(len(reached), expected)


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jitune", type=pathlib.Path, required=True)
    parser.add_argument("--make-database", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path, required=True, help="the folder of the pictures")
    options, rest = parser.parse_known_args()
    missing = [program for program in ("chromium", "chromedriver") if shutil.which(program) is None]
    if missing:
        print(f"skipped: {' and '.join(missing)} not found: scripts/browser_test installs them")
        return NOT_INSTALLED
    return unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() is False


if __name__ == "__main__":
    sys.exit(main())
