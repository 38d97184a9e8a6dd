// <gate-chart>: lines over time, drawn by uPlot. Colours are those of the style sheet; the size is that of its place, which has
// one before anything is drawn.
import { milliseconds, count } from './text.js';

/* global uPlot */

const dark = matchMedia('(prefers-color-scheme: dark)');
const FORMS = { count, milliseconds };

class Chart extends HTMLElement {
  #plot;
  #data;
  #observer = new ResizeObserver(() => this.#fit());

  /** `{ label, form, series: [{ label, color, fill? }], columns: [[x…], [y…], …] }`; colours by the name of a variable. */
  set data(data) {
    const few = ({ series, columns }) =>
      JSON.stringify([series, columns.map((column) => column.filter((value) => value !== null).length < 3)]);
    const same = this.#data && few(this.#data) === few(data);
    this.#data = data;
    if (!this.isConnected) return;
    if (same && this.#plot) this.#plot.setData(data.columns);
    else this.#draw();
    this.#say();
  }

  connectedCallback() {
    this.setAttribute('role', 'img');
    dark.addEventListener('change', this.#redraw);
    this.#observer.observe(this);
    if (this.#data) this.#draw();
    this.#say();
  }

  disconnectedCallback() {
    dark.removeEventListener('change', this.#redraw);
    this.#observer.disconnect();
    this.#plot?.destroy();
    this.#plot = undefined;
  }

  #redraw = () => this.#draw();

  #say() {
    if (this.#data) this.setAttribute('aria-label', this.#data.label);
  }

  #fit() {
    const { width, height } = this.getBoundingClientRect();
    if (width && height) this.#plot?.setSize({ width: Math.floor(width), height: Math.floor(height) });
  }

  #draw() {
    this.#plot?.destroy();
    const style = getComputedStyle(this);
    const color = (name) => style.getPropertyValue(`--${name}`).trim() || 'gray';
    // Canvas knows no light-dark(): what the browser makes of it for an element is what it can draw.
    const real = (name) => {
      this.style.outlineColor = color(name);
      const out = getComputedStyle(this).outlineColor;
      this.style.outlineColor = '';
      return out;
    };
    const axis = {
      stroke: real('dim'),
      grid: { stroke: real('line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui',
    };
    const form = FORMS[this.#data.form];
    const { width, height } = this.getBoundingClientRect();
    this.#plot = new uPlot(
      {
        width: Math.max(50, Math.floor(width)),
        height: Math.max(50, Math.floor(height)),
        padding: [8, 8, 0, 0],
        cursor: { show: false },
        legend: { show: false },
        scales: { y: { range: (_, least, most) => [0, Math.max(1, most * 1.1)] } },
        axes: [
          {
            ...axis,
            size: 24,
            values: [
              [86_400, '{D} {MMM}', null, null, null, null, null, null, 1],
              [3600, '{HH}:{mm}', null, null, null, null, null, null, 1],
              [60, '{HH}:{mm}', null, null, null, null, null, null, 1],
              [1, '{HH}:{mm}:{ss}', null, null, null, null, null, null, 1],
            ],
          },
          {
            ...axis,
            size: 62,
            space: 28,
            values: (_, ticks) =>
              ticks.map((tick) => (tick && (form !== count || tick % 1 === 0) ? form(tick) : tick ? '' : '0')),
          },
        ],
        series: [
          {},
          ...this.#data.series.map((each, i) => ({
            label: each.label,
            stroke: real(each.color),
            width: 1.5,
            spanGaps: true,
            points: { show: this.#data.columns[i + 1].filter((value) => value !== null).length < 3, size: 5 },
            ...(each.fill && { fill: real(each.fill) }),
          })),
        ],
      },
      this.#data.columns,
      this,
    );
  }
}

customElements.define('gate-chart', Chart);
