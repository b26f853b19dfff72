"""Writes one record batch of format 2 with the timestamps given, which no client library would:
produce_raw.py HOST:PORT TOPIC TIMESTAMP...   (values are v0, v1, ...)"""

import socket
import struct
import sys


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def varint(number):
    number = (number << 1 ^ number >> 63) & (1 << 64) - 1
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def text(value):
    return struct.pack(">h", len(value)) + value.encode()


def batch(timestamps):
    first = timestamps[0]
    records = b""
    for i, timestamp in enumerate(timestamps):
        value = f"v{i}".encode()
        # The delta wraps around at 64 bits, as the readers' sum does.
        delta = (timestamp - first + (1 << 63)) % (1 << 64) - (1 << 63)
        body = (b"\0" + varint(delta) + varint(i) + varint(-1) + varint(len(value)) + value
                + varint(0))
        records += varint(len(body)) + body
    rest = struct.pack(">hiqqqhii", 0, len(timestamps) - 1, first, max(timestamps), -1, -1, -1,
                       len(timestamps)) + records
    after_length = struct.pack(">ib", -1, 2) + struct.pack(">I", crc32c(rest)) + rest
    return struct.pack(">qi", 0, len(after_length)) + after_length


def main():
    address, topic, *timestamps = sys.argv[1:]
    host, port = address.split(":")
    records = batch([int(timestamp) for timestamp in timestamps])
    body = (struct.pack(">h", -1) + struct.pack(">hi", -1, 30000)  # no transaction, all acks
            + struct.pack(">i", 1) + text(topic) + struct.pack(">i", 1)
            + struct.pack(">i", 0) + struct.pack(">i", len(records)) + records)
    request = struct.pack(">hhi", 0, 3, 1) + text("raw") + body
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(struct.pack(">i", len(request)) + request)
        reader = connection.makefile("rb")
        size = struct.unpack(">i", reader.read(4))[0]
        answer = reader.read(size)
    # correlation, topics, name, partitions, partition, error
    at = 4 + 4 + 2 + len(topic) + 4 + 4
    error = struct.unpack(">h", answer[at:at + 2])[0]
    if error != 0:
        sys.exit(f"the broker answered error {error}")


main()
