"""A gateway as one makes it of FastMCP: fastmcp_proxy.py PORT NAME=URL..."""

import sys

from fastmcp.server import create_proxy

port, *upstreams = sys.argv[1:]
servers = dict(one.split("=", 1) for one in upstreams)
proxy = create_proxy({"mcpServers": {name: {"url": url} for name, url in servers.items()}})
proxy.run(transport="http", host="127.0.0.1", port=int(port), log_level="error", show_banner=False)
