# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven through chromedriver by W3C WebDriver over HTTP, with DevTools where that has no words."""
import base64
import json
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request


class Browser:
    """One session. A context manager: the browser ends with it."""

    def __init__(self, folder):
        """`folder` keeps the driver's log and the browser's profile."""
        self._folder = pathlib.Path(folder)
        self._driver = None
        self._session = None

    def __enter__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self._address = f"http://127.0.0.1:{port}"
        with open(self._folder / "chromedriver.log", "w", encoding="utf-8") as log:
            self._driver = subprocess.Popen([shutil.which("chromedriver"), f"--port={port}"], stdout=log, stderr=log)
        try:
            self._wait_for_driver()
            # The sandbox needs rights that containers do not give; the pages are the test's own.
            arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         f"--user-data-dir={self._folder / 'profile'}"]
            answer = self._request("POST", "/session", {"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": arguments},
                "goog:loggingPrefs": {"browser": "ALL"}}}})
            self._session = answer["sessionId"]
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused):
        try:
            if self._session:
                self._request("DELETE", f"/session/{self._session}")
        finally:
            self._driver.terminate()
            self._driver.wait()
            shutil.rmtree(self._folder / "profile", ignore_errors=True)

    def _wait_for_driver(self):
        for _ in range(600):
            try:
                if self._request("GET", "/status")["ready"]:
                    return
            except urllib.error.URLError:
                time.sleep(0.1)
        raise RuntimeError(f"chromedriver does not answer: see {self._folder / 'chromedriver.log'}")

    def _request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:2000]}") from error

    def _command(self, path, body):
        return self._request("POST", f"/session/{self._session}/{path}", body)

    def devtools(self, command, **parameters):
        return self._command("goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, path):
        self._command("url", {"url": pathlib.Path(path).resolve().as_uri()})

    def run(self, script, *arguments):
        """The value that a JavaScript function's body returns."""
        return self._command("execute/sync", {"script": script, "args": list(arguments)})

    def press(self, key):
        self._command("actions", {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def move_pointer(self, x, y):
        self._command("actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}]}]})

    def console(self):
        """What the page has printed, or what the browser has said of it, since the last call."""
        return [entry["message"] for entry in self._command("se/log", {"type": "browser"})]

    def resize(self, width, height=900):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=False)

    def prefer(self, scheme):
        """"light" or "dark"."""
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def allow_scripts(self, allowed):
        self.devtools("Emulation.setScriptExecutionDisabled", value=not allowed)

    def picture(self, path, clip=None):
        """The whole page as a PNG, or the part of it with x, y, width and height."""
        if clip is None:
            size = self.devtools("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000)}
        answer = self.devtools("Page.captureScreenshot", captureBeyondViewport=True, clip={**clip, "scale": 1})
        pathlib.Path(path).write_bytes(base64.b64decode(answer["data"]))
