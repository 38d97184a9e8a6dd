// What is wrong, and how much there is of everything.
import { html, nothing } from '../vendor/lit-html.js';
import { empty, mark } from '../common.js';
import { lateSeconds, problems, sentence } from '../condition.js';
import { span } from '../pieces.js';
import { query, route } from '../place.js';
import { state } from '../store.js';
import { count } from '../text.js';
import { webhookTable } from './webhooks.js';

const tile = (word, value, href) =>
  html`<div class="tile">
    <dt>${href ? html`<a href=${href}>${word}</a>` : word}</dt>
    <dd>${value}</dd>
  </div>`;

/** Of the whole service: that is what /health tells everybody. The rest of the page is of the viewer's organization. */
function tiles({ deliveries = {} }) {
  return html`<dl class="tiles">
    ${tile('Due, or in a while', count(deliveries.pending))} ${tile('Being delivered', count(deliveries.delivering))}
    ${tile('Failed, again later', count(deliveries.failed))} ${tile('Dead letters', count(deliveries.dead), route('dead'))}
    ${tile('Succeeded, kept', count(deliveries.succeeded))} ${tile('Late by', span(lateSeconds(state.health)))}
  </dl>`;
}

export function overview() {
  const found = problems(state);
  const { level, text } = sentence(state, found);
  return html`<h1 class="condition" tabindex="-1">${mark(level)}${text}</h1>
    ${
      found.length
        ? html`<section class="problems" aria-label="What to look at">
            <ul class="plain">
              ${found.map((each) => html`<li class=${each.level}>${mark(each.level)}<a href=${each.href}>${each.text}</a></li>`)}
            </ul>
          </section>`
        : nothing
    }
    <section>
      <h2>Deliveries</h2>
      ${state.health ? tiles(state.health) : empty('The service has not said how many there are.')}
    </section>
    <section>
      <div class="title-line">
        <h2>Webhooks</h2>
        <a class="button" href=${route('webhooks', 'new')}>New webhook</a>
      </div>
      ${
        state.webhooks?.length
          ? webhookTable(state.webhooks.slice(0, 10))
          : empty('A webhook is a URL that is told of events. Make the first one.')
      }
      ${
        state.webhooks?.length > 10
          ? html`<p><a href=${query(route('webhooks'), {})}>All ${count(state.webhooks.length)}</a></p>`
          : nothing
      }
    </section>`;
}
