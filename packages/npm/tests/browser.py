"""Imports a module in headless Chromium, and prints the lines of its export `said`.

The page is served from the current folder, where the package castproof is installed.
Usage: browser.py MODULE
"""

import http.server
import queue
import subprocess
import sys
import tempfile
import threading

PAGE = """<!doctype html>
<title>castproof</title>
<script type="importmap">{"imports": {"castproof": "/node_modules/castproof/index.js"}}</script>
<script type="module">
const tell = (text) => fetch("/", { method: "POST", body: text });
import("/MODULE").then(({ said }) => tell(said.join("\\n")), (error) => tell(String(error)));
</script>
"""

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]

# A page that says nothing for so many seconds never will.
PATIENCE = 300

SAID: queue.Queue[str] = queue.Queue()


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the page and the files, and takes what the page says."""

    def do_GET(self) -> None:
        if self.path != "/":
            return super().do_GET()
        self.answer(PAGE.replace("MODULE", sys.argv[1]).encode())

    def do_POST(self) -> None:
        SAID.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.answer(b"")

    def answer(self, content: bytes) -> None:
        """Answers with a page."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def main() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, tempfile.TemporaryFile() as log:
        command = ["chromium", *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-port=0", address]
        browser = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            print(SAID.get(timeout=PATIENCE))
        except queue.Empty:
            log.seek(0)
            sys.exit(f"the page said nothing; the browser: {log.read().decode(errors='replace')[-2000:]}")
        finally:
            browser.terminate()
            browser.wait()


if __name__ == "__main__":
    main()
