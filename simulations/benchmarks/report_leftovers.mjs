// What the numbers say of what must be gone when it is over.
import { round, table, target } from './format.mjs';

export function leftoverTargets({ leftovers }) {
  if (!leftovers) return [];
  const { levels, scrapes, expiry, retired, kept, LEVELS, SCRAPES, EXPIRY, KEPT } = leftovers;
  return [
    target(`logging/setLevel with ${round(LEVELS.many)} upstreams ÷ with ${LEVELS.few}, CPU`, levels.cpu, '', 1.2),
    target(`longest ping while ${round(EXPIRY.sessions)} sessions expire, ${EXPIRY.upstreams} upstreams`, expiry.longest, 'ms', 50),
    target(`longest ping while metrics and health of ${round(SCRAPES.upstreams)} upstreams are scraped, more than without`, scrapes.scraped - scrapes.quiet, 'ms'),
    target('memory that their end takes besides', expiry.more, 'MiB', 16),
    target('memory of each upstream that a reload has retired', retired.each, 'KiB', 0.5),
    target(`memory left ${KEPT.seconds} s after ${KEPT.sessions} sessions with full replay have ended`, kept.left - kept.before, 'MiB', 48),
  ];
}

export function leftoverSections({ leftovers }) {
  if (!leftovers) return [];
  const { levels, kept, KEPT } = leftovers;
  return [`### What was kept for clients that come back, of ${KEPT.sessions} sessions

${table(['', 'RSS MiB'], [
    ['before', round(kept.before, 1)], ['all is kept', round(kept.peak, 1)], ['the sessions have ended', round(kept.ended, 1)],
    [`${KEPT.seconds} s later`, round(kept.left, 1)],
  ])}

\`logging/setLevel\` takes ${round(levels.few.cpu, 1)} µs of CPU with one upstream and ${round(levels.many.cpu, 1)} µs with a thousand.`];
}
