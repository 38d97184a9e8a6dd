// Loaded with `node --import` before a server starts: keeps it off the network and lets the kernel
// choose its port.
//
// @modelcontextprotocol/server-everything listens on every interface and one of its tools prints its
// environment; nobody but the tests should reach it. And with PORT=0 it would not say which port it got.
// The package itself stays as published.
import net from 'node:net';

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (port, ...rest) {
  this.once('listening', () => console.error(`listening on 127.0.0.1:${this.address().port}`));
  return listen.call(this, { port: Number(port), host: '127.0.0.1' }, ...rest);
};
