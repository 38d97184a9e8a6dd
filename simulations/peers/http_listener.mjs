// What peers that serve HTTP have in common: where they listen, and how they stop.

/** `peer.server` listens on the loopback, `port` 0 a free one; `peer.port` and `peer.url` say where. */
export function listenOn(peer, port) {
  return new Promise((done, fail) => {
    peer.server.once('error', fail);
    peer.server.listen(port, '127.0.0.1', () => {
      peer.port = peer.server.address().port;
      peer.url = `http://127.0.0.1:${peer.port}/mcp`;
      done();
    });
  });
}

/** Refuses connections from now on and drops the open ones. */
export function stopListening({ server }) {
  server.closeAllConnections();
  return new Promise((done) => server.close(done));
}
