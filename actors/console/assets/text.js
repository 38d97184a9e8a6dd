// How values are written. What comes from upstreams, clients and configurations is hostile: it is shown as
// text, cut to a bound, and characters that would change how their neighbours are read are made visible.
import { html } from './vendor/lit-html.js';

const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const codePoint = (c) => `\u27e8U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}\u27e9`;

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

/** One line of at most `most` characters. */
export function plain(value, most = 120) {
  const text = String(value ?? '');
  const cut = text.length > most ? `${text.slice(0, most)}\u2026 (${number.format(text.length)} characters)` : text;
  return cut.replace(UNSEEN, codePoint);
}

/** What was written in lines, as one. */
export const oneLine = (value, most) =>
  plain(
    String(value ?? '')
      .slice(0, 4 * most)
      .replace(/\s+/g, ' ')
      .trim(),
    most,
  );

/** Several lines: line feeds and tabs stay. */
export function lines(value, most = 20_000) {
  return String(value ?? '')
    .split('\n')
    .map((line) =>
      line
        .split('\t')
        .map((part) => plain(part, most))
        .join('\t'),
    )
    .join('\n')
    .slice(0, most);
}

/** An identifier: a direction of its own, so that it does not turn what stands beside it. */
export const name = (value, most = 120) =>
  html`<bdi class="name" title=${String(value ?? '').length > 40 ? plain(value, 400) : ''}>${plain(value, most)}</bdi>`;

/** At most `most` characters, for where there is no room for more. */
export function short(value, most) {
  const text = plain(String(value ?? '').slice(0, most + 1), most + 1);
  return text.length > most ? `${text.slice(0, most - 1)}\u2026` : text;
}

export const count = (n) => (Number.isFinite(n) ? number.format(n) : '\u2013');

export function milliseconds(ms) {
  if (!Number.isFinite(ms)) return '\u2013';
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`;
}

export function percent(part, whole) {
  if (!whole) return '\u2013';
  const share = (100 * part) / whole;
  if (share > 0 && share < 0.1) return '< 0.1 %';
  return `${share.toFixed(share < 10 && share > 0 ? 1 : 0)} %`;
}

const parsed = (time) => (time instanceof Date ? time : new Date(time));

export function time(value) {
  const at = parsed(value);
  return Number.isNaN(at.getTime()) ? '\u2013' : clock.format(at);
}

/** A moment that may be weeks away. */
export function moment(value) {
  const at = parsed(value);
  if (Number.isNaN(at.getTime())) return '\u2013';
  return Math.abs(at - Date.now()) < 12 * 3600_000 ? clock.format(at) : day.format(at);
}

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** `a`, `a and b`, `a, b and 3 more`. */
export function listed(names, most = 3) {
  const shown = names.slice(0, names.length > most ? most - 1 : most).map((each) => plain(each, 40));
  if (shown.length < names.length) shown.push(`${count(names.length - shown.length)} more`);
  return shown.length > 1 ? `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}` : (shown[0] ?? '');
}
