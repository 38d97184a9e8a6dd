// A gateway as one makes it of the npm package mcp-proxy: node npm_proxy.mjs PORT UPSTREAM. Its command
// line bridges stdio servers only; for a server over HTTP its library is used, as its documentation says.
// It runs where the packages are installed, beside them.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Server } from '@modelcontextprotocol/server';
import { proxyServer, startHTTPServer } from 'mcp-proxy';

const [port, upstream] = process.argv.slice(2);
const about = { name: 'peer', version: '1' };

/** Each session has a connection of its own to the server behind, as with gate. */
async function createServer() {
  const client = new Client(about);
  await client.connect(new StreamableHTTPClientTransport(new URL(upstream)));
  const capabilities = client.getServerCapabilities() ?? {};
  const server = new Server(about, { capabilities });
  await proxyServer({ client, server, serverCapabilities: capabilities });
  return server;
}

await startHTTPServer({ createServer, host: '127.0.0.1', port: Number(port) });
