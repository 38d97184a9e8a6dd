// A network between a client and the gateway, which can fail.
import net from 'node:net';

/**
 * A TCP proxy to `port` of this machine; `cut()` breaks all connections through it. The port may be
 * told later, as `to`: so an address is known before there is anything behind it.
 */
export async function startCutter(port) {
  const pairs = new Set();
  const cutter = { to: port };
  const server = net.createServer((inner) => {
    const pair = { inner, outer: net.connect(cutter.to, '127.0.0.1'), to: cutter.to };
    const { outer } = pair;
    pairs.add(pair);
    for (const [from, to] of [[inner, outer], [outer, inner]]) {
      from.on('data', (bytes) => to.write(bytes));
      from.on('end', () => to.end());
      from.on('error', () => {}); // its 'close' follows
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return Object.assign(cutter, {
    port: server.address().port,
    /** How many connections there are, through it, to this port. */
    leading(to) {
      return [...pairs].filter((pair) => pair.to === to).length;
    },
    cut() {
      for (const { inner, outer } of pairs) {
        inner.resetAndDestroy();
        outer.destroy();
      }
    },
    close() {
      this.cut();
      return new Promise((closed) => server.close(closed));
    },
  });
}
