"""Gives a rendered `instance.json` to Verda's own client and compares what arrives.

The body becomes the arguments of `instances.create`, a loopback server takes the request, and the
two bodies must be the same JSON. Each value must fit the type that the client's signature gives,
the location must be one of the client's constants, and the instance type one that the client can
put in a path.

Not checked: that an instance type or an image exists. The client knows no names.
"""

import inspect
import json
import os
import sys
import threading
import types
import typing
import warnings
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

TOKEN = {
    "access_token": "a", "refresh_token": "r", "token_type": "Bearer",
    "expires_in": 3600, "scope": "all",
}
ARGUMENT_OF = {"location_code": "location"}
OPTION_KINDS = (inspect.Parameter.KEYWORD_ONLY,)


class Refused(Exception):
    """The client does not take the body, or sends another one."""


class Server(BaseHTTPRequestHandler):
    """Answers what `instances.create` asks, and keeps the body of POST /v1/instances."""

    kept = None

    def answer(self, text, kind="application/json"):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/oauth2/token":
            self.answer(json.dumps(TOKEN))
        else:
            Server.kept = (self.path, json.loads(body))
            self.answer("00000000-0000-0000-0000-000000000000", "text/plain")

    def do_GET(self):
        if "instance-availability" in self.path:
            self.answer("true")
        else:
            self.answer(json.dumps({"id": "0", "status": "running"}))

    def log_message(self, *_):
        pass


def fits(value, hint):
    """Whether a JSON value is of the type that an annotation names."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return value in inner
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in inner)
    if origin is list:
        return isinstance(value, list) and all(fits(one, inner[0]) for one in value)
    if hint in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, hint)


def arguments(body, create):
    """The body as arguments of `create`, each checked against the signature."""
    hints = typing.get_type_hints(create)
    known = {
        name for name, parameter in inspect.signature(create).parameters.items()
        if parameter.kind not in OPTION_KINDS
    }
    named = {}
    for key, value in body.items():
        name = ARGUMENT_OF.get(key, key)
        if name not in known or key in ARGUMENT_OF.values():
            raise Refused(f"{key}: not a key that the client sends")
        if not fits(value, hints[name]):
            raise Refused(f"{key}: {value!r} is not {hints[name]}")
        named[name] = value
    return named


def differences(ours, theirs):
    for key in sorted(ours.keys() | theirs.keys()):
        here, there = (json.dumps(side.get(key, "(absent)"), sort_keys=True)
                       for side in (ours, theirs))
        if here != there or (key in ours) != (key in theirs):
            yield f"{key}: the render has {here}, the client sends {there}"


def check(path, client, locations):
    from verda.instances import OSVolume

    body = json.loads(path.read_text())
    if not isinstance(body, dict):
        raise Refused("not an object")
    named = arguments(body, client.instances.create)
    if body.get("location_code") not in locations:
        raise Refused(f"location_code: {body.get('location_code')!r} is none of {locations}")
    if named.get("os_volume"):
        OSVolume(**named["os_volume"])
    Server.kept = None
    client.instances.create(**named, wait_for_status=None)
    client.instances.is_available(body["instance_type"], location_code=body["location_code"])
    where, sent = Server.kept
    found = list(differences(body, sent))
    if where != "/v1/instances" or found:
        raise Refused("; ".join(found) or where)
    renamed = {"location_code": "region", "is_spot": "spot", "hostname": "name"}
    return {"candidates": [{renamed.get(key, key): value for key, value in sent.items()}]}


def main():
    for name in [key for key in os.environ if key.lower().endswith("_proxy")]:
        del os.environ[name]
    warnings.simplefilter("ignore")  # The instance that the server describes is not whole.
    from verda import VerdaClient
    from verda.constants import Locations

    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = VerdaClient("id", "secret", base_url=f"http://127.0.0.1:{server.server_port}/v1")
    locations = sorted(v for k, v in vars(Locations).items() if k.isupper())
    for folder in sys.argv[1:]:
        line = {"dir": folder, "accepted": True, "message": "", "parsed": {}}
        try:
            line["parsed"] = check(Path(folder, "instance.json"), client, locations)
        except Exception as error:  # Whatever the client raises is its refusal.
            line["accepted"] = False
            line["message"] = (str(error) or type(error).__name__).splitlines()[0]
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
