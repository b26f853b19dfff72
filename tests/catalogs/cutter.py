"""A TCP relay that, once told to, swallows the answer to what a client asks, and hangs up."""

import socket
import threading


class Cutter:
    def __init__(self, port, cuts):
        """Relays to 127.0.0.1:port. cuts(data) says of bytes on their way to the server whether
        they are what loses its answer; asked only while armed."""
        self.port, self.cuts, self.armed, self.lost = port, cuts, False, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.own_port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.port))
            except OSError:  # it is away
                client.close()
                continue
            cut = threading.Event()
            threading.Thread(target=self.to_server, args=(client, server, cut), daemon=True).start()
            threading.Thread(target=self.to_client, args=(client, server, cut), daemon=True).start()

    def to_server(self, client, server, cut):
        try:
            while data := client.recv(1 << 16):
                if self.armed and self.cuts(data):
                    self.armed = False
                    cut.set()
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def to_client(self, client, server, cut):
        try:
            while data := server.recv(1 << 16):
                if cut.is_set():
                    self.lost += 1
                    break
                client.sendall(data)
        except OSError:
            pass
        for end in (client, server):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def close(self):
        self.listener.close()
