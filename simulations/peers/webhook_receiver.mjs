// A receiver of webhooks that verifies who sends, both ways, without any library: by X-Gate-Signature, and by the
// headers of Standard Webhooks.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Receiver } from './receiver.mjs';

/** What is older, or of the future, is refused: it may be a replay. */
const TOLERANCE_SECONDS = 300;

const same = (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** What a secret stands for: `whsec_` and base64, or its own bytes. */
const keyOf = (secret) =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);

/** Throws if a delivery is not of whoever has the secret. */
export function verify(secret, headers, body) {
  const plain = createHmac('sha256', secret).update(body).digest('hex');
  if (!same(headers['x-gate-signature'] ?? '', plain)) throw new Error('X-Gate-Signature is not of this secret');
  const [id, seconds] = [headers['webhook-id'], headers['webhook-timestamp']];
  if (!(Math.abs(Date.now() / 1000 - Number(seconds)) <= TOLERANCE_SECONDS)) throw new Error('webhook-timestamp is too far away');
  const standard = createHmac('sha256', keyOf(secret)).update(`${id}.${seconds}.${body}`).digest('base64');
  const shown = (headers['webhook-signature'] ?? '').split(' ');
  if (!shown.some((each) => same(each, `v1,${standard}`))) throw new Error('webhook-signature is not of this secret');
}

export class WebhookReceiver extends Receiver {
  /** Of the webhook; without one nothing is verified. */
  secret = undefined;
  /** Why deliveries were refused. */
  refusals = [];

  get hook() {
    return this.url.replace('/mcp', '/hook');
  }

  /** Ids of events, as often as they came. */
  get ids() {
    return this.deliveries.map(({ headers }) => headers['webhook-id']);
  }

  /** Answers as `answer` does what is well signed, and 401 all else. */
  verifying(secret, answer = (_, response) => response.writeHead(204).end()) {
    this.secret = secret;
    this.answer = (request, response, body) => {
      try {
        verify(this.secret, request.headers, body);
      } catch (error) {
        this.refusals.push(error.message);
        return response.writeHead(401).end(error.message);
      }
      return answer(request, response, body);
    };
    return this;
  }
}
