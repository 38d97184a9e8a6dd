// Where the reader is, which is in the address, and when a page is drawn again: once a frame, however much has changed.

let draw = () => {};
let planned = false;

export function onChange(fn) {
  draw = fn;
}

/** Something has changed. */
export function changed() {
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    draw();
  });
}

/** `#/page/rest/…?params`, as `readPlace` has found it. */
export let place = { page: '', rest: [], params: new URLSearchParams() };

export function readPlace() {
  const [path, params] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const parts = path.split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  place = { page: parts[0], rest: parts.slice(1), params: new URLSearchParams(params) };
}

export const route = (page, ...rest) => `#/${[page, ...rest.map(encodeURIComponent)].join('/')}`;
export const query = (path, members) => `${path}?${new URLSearchParams(members)}`;

/** The parameters of the place with others; empty ones go. */
export function withParams(members) {
  const params = new URLSearchParams(place.params);
  for (const [key, value] of Object.entries(members)) {
    if (value) params.set(key, value);
    else params.delete(key);
  }
  const path = route(place.page, ...place.rest);
  return params.size ? `${path}?${params}` : path;
}

/** Filters are part of the address, but no steps of the history. */
export function setParams(members) {
  history.replaceState(null, '', withParams(members));
  const at = location.hash.indexOf('?');
  place = { ...place, params: new URLSearchParams(at < 0 ? '' : location.hash.slice(at + 1)) };
  changed();
}

export const param = (key) => place.params.get(key) ?? '';
