"""What hands out keys and what honours them, between a client, a REST catalog and an object store:
keys that live for seconds, and a gate that refuses those whose time is over. Run in threads.

SeaweedFS knows two keys, `weirkey` and `otherkey`; which of them is good changes with the time.
"""

import http.client
import http.server
import json
import re
import socketserver
import threading
import time

KEYS = {"weirkey": "weirsecret", "otherkey": "othersecret"}
CREDENTIALS = "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials"
STALE = b"<Error><Code>ExpiredToken</Code><Message>its time is over</Message></Error>"


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, handler, upstream):
        self.upstream = upstream.removeprefix("http://")
        super().__init__(("127.0.0.1", 0), handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # clients are killed here

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def forward(self, body, path=None):
        upstream = http.client.HTTPConnection(self.server.upstream, timeout=60)
        upstream.putrequest(self.command, path or self.path, skip_host=True,
                            skip_accept_encoding=True)
        for name, value in self.headers.items():
            upstream.putheader(name, value)
        upstream.endheaders(body)
        response = upstream.getresponse()
        answer = response.read()
        upstream.close()
        return response, answer

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


class Vendor(Server):
    """In front of a REST catalog: adds keys to its answers, which live `life` seconds."""

    def __init__(self, uri, life):
        self.life, self.loads, self.asked, self.joint = life, 0, 0, 0
        self.valid = {}  # key -> when it ends
        self.lock = threading.Lock()
        super().__init__(VendorHandler, uri)

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
        response, answer = self.forward(body)
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


class Gate(Server):
    """In front of the store: counts the keys that are used, and refuses those that `is_good` says
    no of."""

    def __init__(self, endpoint, is_good=lambda key: True):
        self.is_good, self.refused, self.used = is_good, 0, {}
        super().__init__(GateHandler, endpoint)


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
        response, answer = self.forward(body)
        self.answer(response.status, response.getheaders(), answer)
