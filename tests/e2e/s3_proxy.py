"""A proxy in front of an object store that breaks what goes through it, and an object store that
does not know conditional writes. Both run in threads of the test."""
import json
import random
import re
import threading
import time

from local_server import LocalHandler, LocalServer

KEPT = ("content-length", "content-type", "etag", "last-modified", "date", "content-range",
        "accept-ranges")


class FaultyProxy(LocalServer):
    """Meets a request with one of `faults` with the given probability, or as `script` says: it gets
    method and path and returns the name of a fault or None."""
    FAULTS = ("reset", "lost", "500", "503", "slow", "wrong_etag", "cut")

    def __init__(self, endpoint, probability=0.0, faults=FAULTS, seed=1, script=None,
                 certificate=None):
        self.endpoint = endpoint.removeprefix("http://")
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.probability, self.faults, self.script = probability, faults, script
        self.met = {}
        super().__init__(ProxyHandler, certificate=certificate)

    def fault_for(self, method, path):
        with self.lock:
            if self.script:
                fault = self.script(method, path)
            else:
                hit = self.random.random() < self.probability
                fault = self.random.choice(self.faults) if hit else None
            if fault:
                self.met[fault] = self.met.get(fault, 0) + 1
            return fault


class ProxyHandler(LocalHandler):
    def relay(self):
        fault = self.server.fault_for(self.command, self.path)
        length = int(self.headers.get("Content-Length") or 0)
        if fault == "reset":
            self.rfile.read(length // 2)
            self.close_connection = True
            return
        body = self.rfile.read(length)
        if fault in ("500", "503"):
            code = {"500": "InternalError", "503": "SlowDown"}[fault]
            self.answer(int(fault), {}, f"<Error><Code>{code}</Code></Error>".encode())
            return
        if fault == "slow":
            time.sleep(0.3)
        response, answer = self.forward(self.server.endpoint, body)
        headers = {name: value for name, value in response.getheaders()
                   if name.lower() in KEPT or name.lower().startswith("x-amz-")}
        if fault == "lost":
            self.close_connection = True
            return
        if fault == "wrong_etag":
            headers = {name: f'"{"0" * 32}"' if name.lower() == "etag" else value
                       for name, value in headers.items()}
        self.answer(response.status, headers, answer, cut=fault == "cut", slow=fault == "slow")

    def answer(self, status, headers, body, cut=False, slow=False):
        self.send_response_only(status)
        for name, value in headers.items():
            if self.command == "HEAD" or name.lower() != "content-length":
                self.send_header(name, value)
        if self.command != "HEAD" and status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if cut:
            self.wfile.write(body[:len(body) // 2])
            self.close_connection = True
        elif slow and body:
            for at in range(0, len(body), max(1, len(body) // 5)):
                self.wfile.write(body[at:at + max(1, len(body) // 5)])
                self.wfile.flush()
                time.sleep(0.05)
        else:
            self.wfile.write(body)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = relay


class KeyService(LocalServer):
    """Vends keys that are due for renewal two seconds later; `away` while it is told to be."""

    def __init__(self):
        self.asked, self.away = 0, False
        super().__init__(KeyHandler)


class KeyHandler(LocalHandler):
    protocol_version = "HTTP/1.0"  # an answer ends with its connection

    def do_GET(self):
        self.server.asked += 1
        end = time.gmtime(time.time() + 302)
        body = json.dumps({"AccessKeyId": "weirkey", "SecretAccessKey": "weirsecret",
                           "Expiration": time.strftime("%Y-%m-%dT%H:%M:%SZ", end)}).encode()
        self.send_response(503 if self.server.away else 200)
        self.end_headers()
        self.wfile.write(body)


class CarelessStore(LocalServer):
    """Puts and gets, and takes no notice of If-None-Match."""

    def __init__(self):
        self.objects = {}
        super().__init__(CarelessHandler)


class CarelessHandler(LocalHandler):
    def say(self, status, body=b"", head=False):
        self.send_response_only(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", "Mon, 30 Nov 2026 10:00:00 GMT")
        self.end_headers()
        if not head:
            self.wfile.write(body)

    def do_PUT(self):
        self.server.objects[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.say(200)

    def do_GET(self):
        if re.search(r"[?&]list-type=2", self.path):
            self.say(200, b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")
        elif self.path in self.server.objects:
            self.say(200, self.server.objects[self.path])
        else:
            self.say(404, b"<Error><Code>NoSuchKey</Code></Error>")

    def do_HEAD(self):
        body = self.server.objects.get(self.path)
        self.say(404 if body is None else 200, body or b"", head=True)

    def do_DELETE(self):
        self.server.objects.pop(self.path, None)
        self.say(204)
