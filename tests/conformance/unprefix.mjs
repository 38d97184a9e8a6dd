// A proxy between a suite and a federating gateway that makes one of its upstreams look like the
// only one: what belongs to others is taken out of lists, `{namespace}__` is taken off the names in
// lists and put onto the names in requests, and in the header that repeats them. All else passes as it
// is: status, headers, and every byte of an event stream when it comes.
import http from 'node:http';
import { decoded, encoded } from '../../simulations/peers/stateless_rules.mjs';

/** Lists whose items belong to one upstream: the member of the result that holds them. */
const LISTS = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

/** Headers that are about one connection: each side of the proxy has its own. */
const OWN = ['connection', 'keep-alive', 'transfer-encoding'];

const passedOn = (headers) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.includes(name)));

/** The same for a body of ours. */
const passedOnWith = (body, headers) => ({ ...passedOn(headers), 'content-length': body.length });

async function bytesOf(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

function parsed(bytes) {
  try {
    return JSON.parse(bytes);
  } catch {
    return undefined; // not for us to judge: the gateway shall see it as it is
  }
}

export class Unprefix {
  /**
   * In front of the gateway at `port`; shows the upstream of `namespace`, and of the resources
   * those for which `owns(uri)`.
   */
  static async start({ port, namespace, owns }) {
    const proxy = Object.assign(new Unprefix(), { to: port, prefix: `${namespace}__`, owns });
    proxy.server = http.createServer((request, response) => proxy.#serve(request, response));
    await new Promise((done) => proxy.server.listen(0, '127.0.0.1', done));
    proxy.port = proxy.server.address().port;
    return proxy;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }

  async #serve(request, response) {
    response.on('error', () => {});
    const body = await bytesOf(request).catch(() => undefined);
    if (!body) return;
    const message = parsed(body);
    const renamed = this.#renamed(message);
    const onward = renamed ? Buffer.from(JSON.stringify(message)) : body;
    const { 'mcp-name': named, ...others } = request.headers;
    const all = renamed && named !== undefined ? { ...others, 'mcp-name': this.#prefixed(named) } : request.headers;
    const headers = onward.length ? passedOnWith(onward, all) : passedOn(all);
    const out = http.request({
      host: '127.0.0.1',
      port: this.to,
      method: request.method,
      path: request.url,
      agent: false,
      headers,
    });
    out.on('response', (answer) => this.#answer(answer, response, LISTS[message?.method]));
    // Whichever side goes away takes the other with it, as it would without a proxy.
    out.on('error', () => response.destroy());
    response.on('close', () => out.destroy());
    out.end(onward);
  }

  /** The same for the header that repeats the name; what can not be read stays as it is. */
  #prefixed(header) {
    const name = decoded(header);
    return name === undefined ? header : encoded(this.prefix + name);
  }

  /** Puts the prefix onto the name in a request; false if there is none. */
  #renamed(message) {
    const named = {
      'tools/call': message?.params,
      'prompts/get': message?.params,
      'completion/complete': message?.params?.ref,
    }[message?.method];
    if (typeof named?.name !== 'string') return false;
    named.name = this.prefix + named.name;
    return true;
  }

  async #answer(answer, response, list) {
    answer.on('error', () => response.destroy());
    if (!list) {
      response.writeHead(answer.statusCode, passedOn(answer.headers));
      response.flushHeaders();
      answer.pipe(response);
      return;
    }
    // A list is short and its stream ends with it, so that it can be changed as a whole.
    const bytes = await bytesOf(answer).catch(() => undefined);
    if (!bytes) return;
    const shown = Buffer.from(this.#textShown(list, bytes.toString()));
    response.writeHead(answer.statusCode, passedOnWith(shown, answer.headers));
    response.end(shown);
  }

  /** The text of an answer, JSON or an event stream, with a shorter list in it. */
  #textShown(list, text) {
    return text.replace(/^((?:data: ?)?)(\{.*\})\r?$/gm, (line, mark, json) => {
      const message = parsed(json);
      const items = message?.result?.[list];
      if (!items) return line;
      message.result[list] = this.#shown(list, items);
      return mark + JSON.stringify(message);
    });
  }

  #shown(list, items) {
    if (list === 'resources') return items.filter(({ uri }) => this.owns(uri));
    if (list === 'resourceTemplates') return items.filter((item) => this.owns(item.uriTemplate));
    return items
      .filter(({ name }) => name.startsWith(this.prefix))
      .map((item) => ({ ...item, name: item.name.slice(this.prefix.length) }));
  }
}
