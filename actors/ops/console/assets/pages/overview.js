// The first page: the condition in a sentence, what is wrong, and how much goes through.
import { html, nothing } from '../vendor/lit-html.js';
import { problems, route, sentence, stateOf, statesOf, query, traffic, upstreamRoute } from '../condition.js';
import { byTime } from '../figures.js';
import { STATE_WORDS, absent, mark } from '../parts.js';
import { state } from '../store.js';
import { count, milliseconds, moment, percent, plain, plural, short, time } from '../text.js';

const line = ({ level, text, href }) => html`<li class=${level}>${mark(level)}<a href=${href}>${text}</a></li>`;

const figure = (value, word, href) =>
  html`<div class="tile">
    <dt>${href ? html`<a href=${href}>${word}</a>` : word}</dt>
    <dd>${value}</dd>
  </div>`;

export function figures(events) {
  const all = traffic(events);
  return html`<dl class="tiles">
    ${figure(count(all.all), 'requests kept', '#/activity')} ${figure(milliseconds(all.p50), 'median time')}
    ${figure(milliseconds(all.p95), '95th percentile')}
    ${figure(percent(all.failed, all.answered), 'failed', query(route('activity'), { outcome: 'error' }))}
    ${figure(percent(all.refused, all.all), 'refused')}
    ${state.federation?.sessions ? figure(count(state.federation.sessions.client), 'client sessions') : nothing}
  </dl>`;
}

export function charts(events) {
  const times = byTime(events);
  const per =
    times.step % 3600 === 0
      ? plural(times.step / 3600, 'hour')
      : times.step % 60 === 0
        ? plural(times.step / 60, 'minute')
        : plural(times.step, 'second');
  const legend = (items) =>
    html`<span class="legend">${items.map(([word, color]) => html`<span class="key ${color}">${word}</span>`)}</span>`;
  return html`<div class="charts">
    <figure>
      <figcaption>
        Requests in ${per}
        ${legend([
          ['all', 'accent'],
          ['failed', 'bad'],
          ['refused', 'warn'],
        ])}
      </figcaption>
      <gate-chart
        .data=${{
          label: `Requests over time: ${plural(events.length, 'request')}`,
          form: 'count',
          series: [
            { label: 'all', color: 'accent', fill: 'accent-faint' },
            { label: 'failed', color: 'bad' },
            { label: 'refused', color: 'warn' },
          ],
          columns: [times.x, times.all, times.failed, times.refused],
        }}
      ></gate-chart>
    </figure>
    <figure>
      <figcaption>
        Time to answer
        ${legend([
          ['median', 'accent'],
          ['95th percentile', 'dim'],
        ])}
      </figcaption>
      <gate-chart
        .data=${{
          label: `Time to answer: median ${milliseconds(traffic(events).p50)}`,
          form: 'milliseconds',
          series: [
            { label: 'median', color: 'accent' },
            { label: '95th percentile', color: 'dim' },
          ],
          columns: [times.x, times.p50, times.p95],
        }}
      ></gate-chart>
    </figure>
  </div>`;
}

const WORST_FIRST = ['down', 'degraded', 'unprobed', 'up'];

function tiles(upstreams) {
  const sorted = [...upstreams].sort((a, b) => WORST_FIRST.indexOf(stateOf(a)) - WORST_FIRST.indexOf(stateOf(b)));
  const of = statesOf(upstreams);
  return html`<section>
    <h2>
      Upstreams
      <span class="counts"
        >${WORST_FIRST.filter((each) => of[each]).map(
          (each) =>
            html`<a class="state" href=${query(route('upstreams'), { state: each })}
              >${mark(each)}${count(of[each])} ${STATE_WORDS[each]}</a
            >`,
        )}</span
      >
    </h2>
    <ul class="cells ${upstreams.length > 60 ? 'many' : ''}">
      ${sorted.map(
        (each) =>
          html`<li>
            <a href=${upstreamRoute(each.id)}>
              ${mark(stateOf(each))}<bdi class="name">${short(each.id, 40)}</bdi
              ><span class="dim figure"
                >${
                  each.connected && each.latencyMs !== undefined
                    ? html`<span class="unseen">${STATE_WORDS[stateOf(each)]}</span> ${milliseconds(each.latencyMs)}`
                    : STATE_WORDS[stateOf(each)]
                }</span
              ></a
            >
          </li>`,
      )}
    </ul>
  </section>`;
}

export function overview() {
  const { federation, events } = state;
  if (!federation) return absent();
  const found = problems(federation, events);
  const condition = state.trouble
    ? {
        level: 'bad',
        text: `The gateway ${state.trouble.status ? 'gives no report now' : 'does not answer'}; what follows is of ${time(state.fetchedAt)}.`,
      }
    : sentence(federation, found);
  const { viewer } = federation;
  return html` <h1 class="condition ${condition.level}" tabindex="-1" aria-live="polite">
      ${mark(condition.level)}${condition.text}
    </h1>
    <p class="dim">
      As of <time>${time(state.fetchedAt)}</time>, for
      ${viewer.principal ? html`<bdi>${plain(viewer.principal, 60)}</bdi>` : 'anybody'}${viewer.tenant ? html` of tenant <bdi>${plain(viewer.tenant, 60)}</bdi>` : nothing}${viewer.operator ? ', who sees everything' : ', who sees a part'}.
      ${state.trouble ? html`<span>Asked for in vain since ${moment(state.trouble.since)}: ${plain(state.trouble.message, 160)}</span>` : nothing}
    </p>
    ${
      found.length
        ? html`<section class="problems">
            <h2>What to look at</h2>
            <ul>
              ${found.map(line)}
            </ul>
          </section>`
        : nothing
    }
    <section>
      <h2>Traffic</h2>
      ${figures(events)}${charts(events)}
    </section>
    ${tiles(federation.upstreams)}`;
}
