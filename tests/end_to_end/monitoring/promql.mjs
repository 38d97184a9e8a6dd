// As much of PromQL as it takes to say which metrics and labels an expression names. Whether it is one at all is promtool's
// to say.
const TOKENS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[a-zA-Z_:][a-zA-Z0-9_:]*|[0-9.]+(?:[smhdwy]|ms)?(?:e[0-9]+)?|=~|!~|!=|[<>=]=|\S/g;
const NAME = /^[a-zA-Z_:]/;
/** Lists of labels follow them in parentheses. */
const GROUPING = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);

const unquoted = (word) => word.slice(1, -1);

/** `{ metrics: [{ name, matchers: [{ label, how, value }] }], labels: [those of by, on and their like] }` */
export function named(expr) {
  const tokens = expr.match(TOKENS) ?? [];
  const metrics = [];
  const labels = [];
  for (let i = 0; i < tokens.length; i += 1) {
    const [word, next] = [tokens[i], tokens[i + 1]];
    if (word === '[') {
      while (tokens[i] !== ']') i += 1;
    } else if (NAME.test(word) && GROUPING.has(word.toLowerCase())) {
      for (i += 1; next === '(' && tokens[i] !== ')'; i += 1) if (NAME.test(tokens[i])) labels.push(tokens[i]);
    } else if (NAME.test(word) && next !== '(' && !GROUPING.has(next) && !WORDS.has(word.toLowerCase())) {
      const matchers = [];
      if (next === '{') {
        for (i += 2; tokens[i] !== '}'; i += 1) {
          if (tokens[i] === ',') continue;
          matchers.push({ label: tokens[i], how: tokens[i + 1], value: unquoted(tokens[i + 2]) });
          i += 2;
        }
      }
      metrics.push({ name: word, matchers });
    }
  }
  return { metrics, labels };
}
