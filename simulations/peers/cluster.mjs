// The part of a Kubernetes API server that gate-discovery asks: Services, listed in pages and watched, with
// versions that grow old, tokens that change, and every way in which that goes wrong.
import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import { until } from './waiting.mjs';

const refusal = (code, reason, message) =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code });

export class Cluster {
  services = new Map();
  /** `{ version, type, object }` of what can still be watched. */
  history = [];
  version = 1000;
  /** Nothing before this version can be watched any more. */
  oldest = 0;
  token = 'cluster-token-1';
  /** Verbs that are refused: `list`, `watch`. */
  denied = new Set();
  /** No page has more Services, whatever was asked for. */
  pageItems = Infinity;
  /** Tokens of further pages are no longer good. */
  pagesExpire = false;
  /** Answers nothing, not even a head. */
  mute = false;
  /** Answers with this status. */
  failing = 0;
  /** `{ verb, query, path }` of each question that was let in, in order. */
  asked = [];
  /** Watches that are open: `{ response, space, query }`. */
  watches = new Set();
  #pages = new Map();

  /** `tls`: `{ key, cert }`. */
  static async start(tls) {
    const cluster = new Cluster();
    const take = (request, response) => cluster.#serve(request, response);
    cluster.server = tls ? https.createServer(tls, take) : http.createServer(take);
    await cluster.listen(0);
    cluster.url = `${tls ? 'https' : 'http'}://127.0.0.1:${cluster.port}`;
    return cluster;
  }

  listen(port) {
    return new Promise((done, fail) => {
      this.server.once('error', fail);
      this.server.listen(port, '127.0.0.1', () => done((this.port = this.server.address().port)));
    });
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }

  // --- what happens in the cluster -------------------------------------------------------------------------

  /** A Service is there from now on, or is another. */
  apply(name, annotations, { space = 'tools', spec = { type: 'ClusterIP', ports: [{ port: 8080 }] }, created } = {}) {
    const key = `${space}/${name}`;
    const before = this.services.get(key);
    this.version += 1;
    const object = {
      metadata: {
        name, namespace: space, uid: key, resourceVersion: String(this.version),
        creationTimestamp: created ?? before?.metadata.creationTimestamp ?? new Date(Date.UTC(2026, 0, 1, 0, 0, this.services.size)).toISOString().replace('.000', ''),
        annotations: Object.fromEntries(Object.entries(annotations).map(([k, v]) => [`gate.mcp/${k}`, v])),
        managedFields: [{ manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:metadata': {} } }],
      },
      spec,
      status: { loadBalancer: {} },
    };
    this.services.set(key, object);
    this.#tell(before ? 'MODIFIED' : 'ADDED', object);
  }

  remove(name, space = 'tools') {
    const key = `${space}/${name}`;
    const object = structuredClone(this.services.get(key));
    this.services.delete(key);
    this.version += 1;
    object.metadata.resourceVersion = String(this.version);
    this.#tell('DELETED', object);
  }

  #tell(type, object) {
    this.history.push({ version: this.version, type, object });
    for (const watch of this.watches) this.#send(watch, type, object);
  }

  #send({ response, space }, type, object) {
    if (!space || object.metadata.namespace === space)
      response.write(`${JSON.stringify({ type, object: { kind: 'Service', apiVersion: 'v1', ...object } })}\n`);
  }

  /** All watches learn that nothing has happened up to now. */
  mark() {
    this.version += 1;
    for (const { response } of this.watches)
      response.write(`${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'Service', apiVersion: 'v1',
        metadata: { resourceVersion: String(this.version), creationTimestamp: null }, spec: {}, status: {} } })}\n`);
  }

  /** What has happened until now can not be watched any more. */
  compact() {
    this.oldest = this.version;
    this.history = [];
  }

  /** Bytes into all watches, as they are. */
  say(bytes) {
    for (const { response } of this.watches) response.write(bytes);
  }

  /** Cuts all watches off, or ends them as the server does after a while. */
  drop(well = false) {
    for (const { response } of this.watches) well ? response.end() : response.destroy();
  }

  /** Waits until so many watches are open. */
  async watched(count = 1) {
    await until(() => this.watches.size === count, `${count} watch(es) of the cluster`);
  }

  // --- answers ---------------------------------------------------------------------------------------------

  #refuse(response, code, reason, message) {
    response.writeHead(code, { 'Content-Type': 'application/json' }).end(refusal(code, reason, message));
  }

  #serve(request, response) {
    const url = new URL(request.url, 'http://cluster');
    const space = url.pathname.match(/^\/api\/v1\/(?:namespaces\/([^/]+)\/)?services$/);
    if (this.mute) return undefined;
    if (this.failing) return this.#refuse(response, this.failing, 'Unknown', 'the server is not well');
    if (!space || request.method !== 'GET') return this.#refuse(response, 404, 'NotFound', 'no such page');
    if (request.headers.authorization !== `Bearer ${this.token}`) return this.#refuse(response, 401, 'Unauthorized', 'Unauthorized');
    const query = Object.fromEntries(url.searchParams);
    const verb = query.watch === 'true' ? 'watch' : 'list';
    if (this.denied.has(verb))
      return this.#refuse(response, 403, 'Forbidden', `services is forbidden: User "x" cannot ${verb} resource "services"`);
    this.asked.push({ verb, query, path: url.pathname });
    return verb === 'watch' ? this.#watch(query, space[1], response) : this.#list(query, space[1], response);
  }

  #list(query, space, response) {
    let page = { items: [...this.services.values()].filter((s) => !space || s.metadata.namespace === space), version: this.version };
    if (query.continue) {
      page = this.pagesExpire ? undefined : this.#pages.get(query.continue);
      if (!page) return this.#refuse(response, 410, 'Expired', 'The provided continue parameter is too old');
    }
    const limit = Math.min(Number(query.limit), this.pageItems);
    const metadata = { resourceVersion: String(page.version) };
    if (page.items.length > limit) {
      metadata.continue = `page/${this.#pages.size}+=`;
      this.#pages.set(metadata.continue, { ...page, items: page.items.slice(limit) });
    }
    const body = JSON.stringify({ kind: 'ServiceList', apiVersion: 'v1', metadata, items: page.items.slice(0, limit) });
    return response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
  }

  #watch(query, space, response) {
    const from = Number(query.resourceVersion);
    assert.ok(from > 0 && query.allowWatchBookmarks === 'true' && Number(query.timeoutSeconds) > 0, JSON.stringify(query));
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.flushHeaders();
    const watch = { response, space, query };
    this.watches.add(watch);
    response.once('close', () => this.watches.delete(watch));
    if (from < this.oldest) {
      response.write(`${JSON.stringify({ type: 'ERROR', object: JSON.parse(refusal(410, 'Expired', `too old resource version: ${from}`)) })}\n`);
      return response.end();
    }
    for (const { version, type, object } of this.history) if (version > from) this.#send(watch, type, object);
    return undefined;
  }
}
