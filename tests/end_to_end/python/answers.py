"""What both generations of the official server are made of: what they say, and how they are run and watched."""

import asyncio
import json
import socket
import sys

LEVELS = ["debug", "info", "warning", "error"]
BLOB = bytes([0, 1, 2, 255])


def tell(**what):
    """A line for whoever runs this process."""
    print(json.dumps(what), flush=True)


async def hold():
    """Works until nobody is interested any more; says when it began and that it ended."""
    tell(began="slow")
    try:
        await asyncio.Event().wait()
    finally:
        tell(cancelled="slow")


def said(action, data):
    """How tools say what their user answered."""
    return f"{action} {json.dumps(data, separators=(',', ':'))}"


def serve(app):
    """Serves `app` on a free port of this machine, which is told."""
    import uvicorn

    # Named as TCP: otherwise asyncio lets Nagle's algorithm hold small answers back.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    print(f"listening on {listener.getsockname()[1]}", file=sys.stderr, flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
