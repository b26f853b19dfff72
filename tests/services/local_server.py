"""An HTTP server in a thread of the test, on a free port of 127.0.0.1: for what stands in front of
a real service, or instead of one."""

import http.client
import http.server
import socketserver
import threading


class LocalServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """`with LocalServer(Handler) as server:` serves until the block ends, at server.url."""
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)

    def handle_error(self, request, client_address):
        pass  # whoever hung up, or was killed, is part of the test

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class LocalHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def forward(self, upstream, body):
        """Makes the request that came of host:port `upstream`: its response, and its whole body."""
        connection = http.client.HTTPConnection(upstream, timeout=60)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        return response, answer
