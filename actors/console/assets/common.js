// Pieces that the pages of all consoles are made of.
import { html, nothing, svg } from './vendor/lit-html.js';
import { param, setParams } from './place.js';
import { plain } from './text.js';

const SHAPES = {
  up: svg`<circle cx="6" cy="6" r="4.5"/>`,
  degraded: svg`<path d="M6 1 11.4 11H.6z"/>`,
  down: svg`<path d="M1.5 1.5h9v9h-9z"/>`,
  unprobed: svg`<circle cx="6" cy="6" r="3.7" fill="none" stroke="currentColor" stroke-width="1.6"/>`,
};
const AS_STATE = {
  ok: 'up',
  good: 'up',
  warn: 'degraded',
  failed: 'down',
  bad: 'down',
  refused: 'degraded',
  note: 'unprobed',
};

/** A state is told by shape, colour and word. */
export const mark = (what) => {
  const known = SHAPES[what] ? what : (AS_STATE[what] ?? 'unprobed');
  return html`<svg class="mark ${known}" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
    ${SHAPES[known]}
  </svg>`;
};

/** Terms and what is said of them; pairs without a value are left out. */
export const facts = (pairs) =>
  html`<dl class="facts">
    ${pairs
      .filter(([, value]) => value !== undefined && value !== '' && value !== nothing)
      .map(
        ([term, value]) =>
          html`<div>
            <dt>${term}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
  </dl>`;

/** A table that scrolls within itself, by keyboard too. */
export const table = (label, heads, rows, kind = '') =>
  html` <div class="scroll ${kind}" role="region" aria-label=${label} tabindex="0">
    <table>
      <thead>
        <tr>
          ${heads.map((head) =>
            Array.isArray(head)
              ? html`<th scope="col" class=${head[1]}>${head[0]}</th>`
              : html`<th scope="col">${head}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;

export const empty = (text) => html`<p class="empty">${text}</p>`;

export const searchField = (key, label, hint) =>
  html`<label class="field"
    ><span>${label}</span>
    <input
      type="search"
      .value=${param(key)}
      placeholder=${hint ?? ''}
      autocomplete="off"
      spellcheck="false"
      @input=${(event) => setParams({ [key]: event.target.value })}
  /></label>`;

export const choice = (key, label, options, all = 'all') =>
  html`<label class="field"
    ><span>${label}</span>
    <select .value=${param(key)} @change=${(event) => setParams({ [key]: event.target.value })}>
      <option value="" ?selected=${!param(key)}>${all}</option>
      ${options.map((option) => {
        const [value, word] = Array.isArray(option) ? option : [option, plain(option, 60)];
        return html`<option value=${value} ?selected=${param(key) === value}>${word}</option>`;
      })}
    </select></label
  >`;
