#!/usr/bin/env python3
"""A schema registry with Confluent's interface, in memory: what clients need to register and read.

    tests/services/registry.py [PORT]      prints http://127.0.0.1:PORT when it answers

POST /subjects/S/versions {schemaType, schema, references} -> {"id": N}; the same schema has one id.
GET /schemas/ids/N, /subjects, /subjects/S/versions, /subjects/S/versions/V. Errors carry the codes
that Confluent's registry documents. For tests in this process: Registry().
"""

import json
import re
import sys
import threading
import urllib.parse

from local_server import LocalHandler, LocalServer

MEDIA = "application/vnd.schemaregistry.v1+json"


class Handler(LocalHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        self.answer(*self.server.get(self.path))

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(*self.server.post(self.path, json.loads(body)))

    def answer(self, status, document):
        text = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", MEDIA)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


class Registry(LocalServer):
    def __init__(self, port=0):
        self.schemas = {}  # id -> {schemaType, schema, references}
        self.subjects = {}  # name -> ids, by version
        self.asked = []  # paths of GET requests
        super().__init__(Handler, port)

    def register(self, subject, schema, schema_type="AVRO", references=()):
        """The id, as POST gives it."""
        entry = {"schema": schema, "schemaType": schema_type, "references": list(references)}
        known = [number for number, other in self.schemas.items() if other == entry]
        number = known[0] if known else len(self.schemas) + 1
        self.schemas[number] = entry
        versions = self.subjects.setdefault(subject, [])
        if number not in versions:
            versions.append(number)
        return number

    def post(self, path, body):
        match = re.fullmatch(r"/subjects/([^/]+)/versions", path)
        if not match:
            return 404, {"error_code": 404, "message": "HTTP 404 Not Found"}
        number = self.register(
            urllib.parse.unquote(match[1]),
            body["schema"],
            body.get("schemaType", "AVRO"),
            body.get("references", ()),
        )
        return 200, {"id": number}

    @staticmethod
    def shown(entry):
        """Avro is what is meant where no type stands, and there are no empty references."""
        shown = {"schema": entry["schema"]}
        if entry["schemaType"] != "AVRO":
            shown["schemaType"] = entry["schemaType"]
        if entry["references"]:
            shown["references"] = entry["references"]
        return shown

    def get(self, path):
        if match := re.fullmatch(r"/schemas/ids/(\d+)", path):
            entry = self.schemas.get(int(match[1]))
            if entry is None:
                return 404, {"error_code": 40403, "message": "Schema not found"}
            return 200, self.shown(entry)
        if path == "/subjects":
            return 200, sorted(self.subjects)
        if match := re.fullmatch(r"/subjects/([^/]+)/versions(?:/(\d+|latest))?", path):
            subject = urllib.parse.unquote(match[1])
            versions = self.subjects.get(subject)
            if versions is None:
                return 404, {"error_code": 40401, "message": f"Subject '{subject}' not found."}
            if match[2] is None:
                return 200, list(range(1, len(versions) + 1))
            version = len(versions) if match[2] == "latest" else int(match[2])
            if not 1 <= version <= len(versions):
                return 404, {"error_code": 40402, "message": f"Version {version} not found."}
            number = versions[version - 1]
            return 200, {
                "subject": subject,
                "version": version,
                "id": number,
                **self.shown(self.schemas[number]),
            }
        return 404, {"error_code": 404, "message": "HTTP 404 Not Found"}


if __name__ == "__main__":
    print(Registry(int(sys.argv[1]) if len(sys.argv) > 1 else 0).url, flush=True)
    threading.Event().wait()
