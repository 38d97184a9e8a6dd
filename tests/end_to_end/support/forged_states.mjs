// States that nobody gave out, made from those that somebody did, the same ones at every run.

/** Numbers below 2³² from a seed (mulberry32). */
function dice(seed) {
  let at = seed >>> 0;
  return () => {
    at = (at + 0x6d2b79f5) >>> 0;
    let t = Math.imul(at ^ (at >>> 15), at | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Each makes a state from one of ours, another one, and `below(n)`, a number below that. */
const ways = [
  // One character is another one.
  (state, _, below) => {
    const at = below(state.length);
    return `${state.slice(0, at)}${ALPHABET[(ALPHABET.indexOf(state[at]) + 1 + below(62)) % 64]}${state.slice(at + 1)}`;
  },
  (state, _, below) => state.slice(0, below(state.length)),
  (state, _, below) => state.slice(1 + below(state.length - 1)),
  (state, _, below) => state + ALPHABET[below(64)].repeat(1 + below(5)),
  // The beginning of one, the end of another one.
  (state, other, below) => {
    const at = 1 + below(state.length - 1);
    return state.slice(0, at) + other.slice(at);
  },
  (state, _, below) => Array.from(state, () => ALPHABET[below(64)]).join(''),
  (state) => state.split('').reverse().join(''),
  // The same bytes in another spelling.
  (state, _, below) => ['=', '==', '\n', ' ', '\u0000'][below(5)] + state,
  (state, _, below) => state + ['=', '==', '\n', ' ', '\u0000'][below(5)],
  (state) => Buffer.from(state).toString('base64'),
  (state, other) => state + other,
  (state, _, below) => state.toLowerCase().slice(0, state.length - below(2)),
];

/** `count` states: all of `replayed` at least once, the others made from `own`, and none that is one of these. */
export function forgedStates({ count, own, replayed, seed = 1 }) {
  const next = dice(seed);
  const below = (n) => next() % Math.max(n, 1);
  const out = [...replayed];
  while (out.length < count) {
    const [state, other] = [own[below(own.length)], own[below(own.length)]];
    const made = below(20) ? ways[below(ways.length)](state, other, below) : replayed[below(replayed.length)];
    if (!own.includes(made)) out.push(made);
  }
  return out;
}
