"""Runs a rendered `run.sh` with the real docker client and a stand-in for its daemon.

The client parses the command line before it asks for anything. The stand-in, on a socket of its
own, keeps the container that the client asks for and refuses to create it: what is reported is what
a daemon would have got. Refused: whatever the client refuses, and what every daemon refuses about
GPUs (a count together with device numbers). A container without any device is refused, too.

Not checked: that the machine has the GPUs or the image exists. Without a docker client on PATH
the answer is `"accepted": null`.
"""

import json
import os
import shutil
import socketserver
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path

API = "1.41"
REFUSAL = "kept by the stand-in"


class Refused(Exception):
    """The client does not take the command line, or no daemon would take the container."""


class Daemon(BaseHTTPRequestHandler):
    """Keeps bodies of POST /containers/create."""

    protocol_version = "HTTP/1.1"
    kept = []

    def answer(self, status, document):
        text = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Api-Version", API)
        self.send_header("Ostype", "linux")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def do_GET(self):
        self.answer(200, {})

    do_HEAD = do_GET

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.split("?")[0].endswith("/containers/create"):
            Daemon.kept.append(json.loads(body))
            self.answer(500, {"message": REFUSAL})
        else:
            self.answer(200, {})

    def address_string(self):
        return "local"

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True


def gpus_of(host):
    """What `--gpus` became, or the device files of accelerators that docker has no word for."""
    requests = host.get("DeviceRequests") or []
    files = [device["PathOnHost"] for device in host.get("Devices") or []]
    if not requests and (files or host.get("Privileged")):
        return {"host_devices": files or "all"}
    if len(requests) != 1:
        raise Refused(f"{len(requests)} requests for GPUs")
    asked = requests[0]
    count, numbers = asked["Count"], asked["DeviceIDs"]
    if count and numbers:
        raise Refused("a count of GPUs and device numbers exclude each other")
    if not count and not numbers:
        raise Refused("no GPU is asked for")
    return {
        "count": "all" if count == -1 else count or len(numbers), "devices": numbers,
        "capabilities": asked["Capabilities"], "driver": asked["Driver"] or None,
    }


def candidate(container):
    host = container["HostConfig"]
    found = gpus_of(host) | {
        "image": container["Image"], "env": container["Env"] or None,
        "command": container["Cmd"], "shm_bytes": host["ShmSize"] or None,
        "ipc": host["IpcMode"] or None, "remove": host["AutoRemove"],
        "network": host["NetworkMode"],
    }
    return {key: value for key, value in found.items() if value is not None}


def check(script, env):
    if not script.is_file():
        raise Refused(f"no {script.name}")
    Daemon.kept.clear()
    done = subprocess.run(
        ["bash", str(script)], env=env, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60,
    )
    if not Daemon.kept:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise Refused(said[0] if said else f"exit {done.returncode} and no container asked for")
    return {"candidates": [candidate(container) for container in Daemon.kept]}


def main():
    with tempfile.TemporaryDirectory() as home:
        address = f"{home}/docker.sock"
        server = Server(address, Daemon)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        env = {key: value for key, value in os.environ.items() if not key.startswith("DOCKER_")}
        env |= {"HOME": home, "DOCKER_HOST": f"unix://{address}", "DOCKER_API_VERSION": API}
        for folder in sys.argv[1:]:
            line = {"dir": folder, "accepted": True, "message": "", "parsed": {}}
            try:
                if shutil.which("docker"):
                    line["parsed"] = check(Path(folder, "run.sh").resolve(), env)
                else:
                    line["accepted"], line["message"] = None, "no docker client on PATH"
            except Exception as error:  # No render may end the check of the others.
                line["accepted"] = False
                line["message"] = (str(error) or type(error).__name__).splitlines()[0]
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
