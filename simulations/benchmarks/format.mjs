// How figures are shown: numbers, targets with their verdicts, tables.

export const round = (value, digits = 0) =>
  value === undefined ? '–' : value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Few microseconds are worth their fractions; what must not happen at all has none. */
const digits = (unit, limit) => (limit === 0 || (['µs', 'ms'].includes(unit) && limit >= 10) ? 0 : 2);

export const print = {
  progress(what, values) {
    const parts = Object.entries(values).map(([name, value]) => `${name} ${round(value, value < 100 ? 1 : 0)}`);
    console.log(`${what}: ${parts.join(', ')}`);
  },
};

export function target(name, value, unit, limit, aim, least = false) {
  const holds = (bound) => bound !== undefined && (least ? value >= bound : value <= bound);
  const verdict = value === undefined ? 'not measured' : limit === undefined ? 'no target' : !holds(limit) ? 'MISS' : holds(aim) ? 'pass, aim reached' : 'pass';
  return { name, value, unit, limit, aim, least, verdict };
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i ? '--:' : ':--'))), ...rows.map(line)].join('\n');
}

export function targetTable(list) {
  return table(
    ['target', 'measured', 'required', 'aim', 'verdict'],
    list.map(({ name, value, unit, limit, aim, least, verdict }) => {
      const sign = least ? '≥' : '≤';
      const show = (v, places) => (v === undefined ? '–' : `${round(v, places)}${unit && ` ${unit}`}`);
      if (limit === undefined) return [name, show(value, 2), '–', '–', verdict];
      return [name, show(value, digits(unit, limit)), `${sign} ${show(limit, limit % 1 ? 2 : 0)}`, show(aim, aim % 1 ? 2 : 0), verdict];
    }),
  );
}
