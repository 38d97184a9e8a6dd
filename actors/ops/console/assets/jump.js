// Ctrl K: to a page, an upstream, or something of the catalogue, by a part of its name.
import { html, nothing, render } from './vendor/lit-html.js';
import { route, upstreamRoute } from './condition.js';
import { itemRoute } from './pages/catalogue.js';
import { state } from './store.js';
import { plain } from './text.js';

const SHOWN = 12;
const dialog = document.getElementById('jump');
let wanted = '';
let chosen = 0;

const PAGES = [
  ['Overview', ''],
  ['Upstreams', 'upstreams'],
  ['Map', 'map'],
  ['Catalogue', 'catalogue'],
  ['Activity', 'activity'],
  ['Limits and policy', 'limits'],
];

function found() {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text) => words.every((word) => text.toLowerCase().includes(word));
  const all = [
    ...PAGES.map(([text, page]) => ({ kind: 'page', text, href: route(page) })),
    ...(state.federation?.upstreams ?? []).map(({ id }) => ({ kind: 'upstream', text: id, href: upstreamRoute(id) })),
    ...state.catalogue.items.map((item) => ({ kind: item.kind, text: item.id, href: itemRoute(item) })),
  ];
  return all.filter(({ text }) => fits(text)).slice(0, SHOWN);
}

function draw() {
  const list = found();
  chosen = Math.max(0, Math.min(chosen, list.length - 1));
  render(
    html`<form method="dialog" @submit=${go}>
      <input
        id="jump-field"
        type="text"
        role="combobox"
        aria-label="Jump to"
        aria-expanded="true"
        aria-controls="jump-list"
        aria-autocomplete="list"
        aria-activedescendant=${list.length ? `jump-${chosen}` : nothing}
        placeholder="Page, upstream, tool…"
        autocomplete="off"
        spellcheck="false"
        .value=${wanted}
        @input=${(event) => {
          wanted = event.target.value;
          chosen = 0;
          draw();
        }}
        @keydown=${move}
      />
      <ul id="jump-list" role="listbox" aria-label="Places">
        ${list.map(
          (each, i) =>
            html`<li
              id="jump-${i}"
              role="option"
              aria-selected=${i === chosen ? 'true' : 'false'}
              @click=${() => {
                chosen = i;
                go();
              }}
            >
              <span class="kind">${each.kind}</span><bdi class="name">${plain(each.text, 80)}</bdi>
            </li>`,
        )}
        ${list.length ? nothing : html`<li class="dim" role="option" aria-disabled="true" aria-selected="false">Nothing is called so.</li>`}
      </ul>
    </form>`,
    dialog,
  );
}

function move(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  chosen += step;
  draw();
}

function go(event) {
  event?.preventDefault();
  const target = found()[chosen];
  if (!target) return;
  dialog.close();
  location.hash = target.href;
}

export function openJump() {
  wanted = '';
  chosen = 0;
  draw();
  if (!dialog.open) dialog.showModal();
  document.getElementById('jump-field').focus();
}

dialog.addEventListener('click', (event) => {
  if (event.target === dialog) dialog.close();
});
