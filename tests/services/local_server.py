"""An HTTP server in a thread of the test, on a free port of 127.0.0.1: for what stands in front of
a real service, or instead of one."""

import http.client
import http.server
import socketserver
import ssl
import subprocess
import threading


class LocalServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Serves at `url` from the start on, until it is closed or its `with` block ends."""
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, handler, port=0, certificate=None):
        """With a certificate, a file that new_certificate made, it speaks TLS."""
        super().__init__(("127.0.0.1", port), handler)
        self.scheme = "http"
        if certificate:
            self.scheme = "https"
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # whoever hung up, or was killed, is part of the test

    def close(self):
        self.shutdown()
        self.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}"


def new_certificate(file):
    """Makes a certificate of 127.0.0.1 that nobody signed but itself, with its key."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=weir",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", file,
                    "-out", f"{file}.cert"], check=True, capture_output=True)
    with open(file, "ab") as both, open(f"{file}.cert", "rb") as public:
        both.write(public.read())
    return file


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
