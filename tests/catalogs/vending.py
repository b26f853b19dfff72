"""What hands out keys and what honours them, between a client, a REST catalog and an object store:
keys that live for seconds, and a gate that refuses those whose time is over. Run in threads.

SeaweedFS knows two keys, `weirkey` and `otherkey`; which of them is good changes with the time.
"""

import json
import re
import threading
import time

from local_server import LocalHandler, LocalServer

KEYS = {"weirkey": "weirsecret", "otherkey": "othersecret"}
CREDENTIALS = "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials"
STALE = b"<Error><Code>ExpiredToken</Code><Message>its time is over</Message></Error>"


class Handler(LocalHandler):
    def answer(self, status, headers, body):
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        bare = self.command == "HEAD" or status in (204, 304)
        length = next((v for k, v in headers if k.lower() == "content-length"), "0")
        self.send_header("Content-Length", length if bare else str(len(body)))
        self.end_headers()
        if not bare:
            self.wfile.write(body)

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.relay(body)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_one


class Vendor(LocalServer):
    """In front of a REST catalog: adds keys to its answers, which live `life` seconds."""

    def __init__(self, uri, life):
        self.life, self.loads, self.asked, self.joint = life, 0, 0, 0
        self.valid = {}  # key -> when it ends
        self.lock = threading.Lock()
        self.upstream = uri.removeprefix("http://")
        super().__init__(VendorHandler)

    def is_good(self, key):
        return time.time() <= self.valid.get(key, 0)

    def hand_out(self):
        with self.lock:
            now = time.time()
            ends = {key: self.valid.get(key, 0) for key in KEYS}
            key = min(ends, key=ends.get)  # the one that is over, or nearest to it
            if ends[key] > now:
                key = max(ends, key=ends.get)
            else:
                self.valid[key] = now + self.life
            return {"s3.access-key-id": key, "s3.secret-access-key": KEYS[key],
                    "s3.session-token-expires-at-ms": str(int(self.valid[key] * 1000))}


class VendorHandler(Handler):
    def relay(self, body):
        server = self.server
        wished = self.headers.get("X-Iceberg-Access-Delegation") == "vended-credentials"
        table = re.match(r"(/v1/namespaces/[^/]+/tables/[^/?]+)(/credentials)?", self.path)
        server.joint += self.path == "/v1/transactions/commit"
        if table and table[2]:
            server.asked += 1
            answer = {"storage-credentials": [{"prefix": "s3://weir/", "config":
                                               server.hand_out()}]}
            self.answer(200, [("Content-Type", "application/json")], json.dumps(answer).encode())
            return
        response, answer = self.forward(server.upstream, body)
        changed = None
        if response.status == 200 and self.path.startswith("/v1/config"):
            changed = json.loads(answer)
            changed.setdefault("endpoints", []).append(CREDENTIALS)
        elif response.status == 200 and self.command == "GET" and table and wished:
            server.loads += 1
            changed = json.loads(answer)
            changed["storage-credentials"] = [{"prefix": "s3://weir/", "config":
                                               server.hand_out()}]
        self.answer(response.status, response.getheaders(),
                    answer if changed is None else json.dumps(changed).encode())


class Gate(LocalServer):
    """In front of the store: counts the keys that are used, and refuses those that `is_good` says
    no of."""

    def __init__(self, endpoint, is_good=lambda key: True):
        self.is_good, self.refused, self.used = is_good, 0, {}
        self.upstream = endpoint.removeprefix("http://")
        super().__init__(GateHandler)


class GateHandler(Handler):
    def relay(self, body):
        server = self.server
        said = re.search(r"Credential=(\w+)/", self.headers.get("Authorization", ""))
        key = said[1] if said else ""
        if not server.is_good(key):
            server.refused += 1
            self.answer(400, [], STALE)
            return
        server.used[key] = server.used.get(key, 0) + 1
        response, answer = self.forward(server.upstream, body)
        self.answer(response.status, response.getheaders(), answer)
