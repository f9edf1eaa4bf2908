"""A static server on loopback for one folder.

Belongs here: serving files to the page under test. Does not: deciding what else it may reach
(browser.py). Links are not followed out of the folder, and no service worker is ever served.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = {  # noqa: RUF012 - as its base declares it
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".json": "application/json",
        ".wasm": "application/wasm",
        ".svg": "image/svg+xml",
        ".webp": "image/webp",
        ".woff2": "font/woff2",
        ".ogg": "audio/ogg",
        ".opus": "audio/ogg",
        ".mp3": "audio/mpeg",
        ".wav": "audio/wav",
        ".m4a": "audio/mp4",
        ".webm": "video/webm",
        ".mp4": "video/mp4",
    }

    def do_GET(self) -> None:
        # The browser sends this header whatever the page does, so no page gets around it.
        if self.headers.get("Service-Worker") is not None:
            self.send_error(HTTPStatus.FORBIDDEN, "no service workers")
            return
        root = Path(self.directory).resolve()
        if not Path(self.translate_path(self.path)).resolve().is_relative_to(root):
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        if self.path == "/favicon.ico" and not (root / "favicon.ico").is_file():
            # Browsers ask on their own: no error of the page's.
            self.send_response(HTTPStatus.NO_CONTENT)
            self.end_headers()
            return
        super().do_GET()

    def list_directory(self, path: Any) -> None:
        self.send_error(HTTPStatus.NOT_FOUND)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def handle(self) -> None:
        # A closed context drops its connections in mid-answer: nothing to report.
        with contextlib.suppress(ConnectionError):
            super().handle()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


@contextlib.contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serves `folder` until left; yields its origin, without a trailing slash."""
    server = _Server(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
