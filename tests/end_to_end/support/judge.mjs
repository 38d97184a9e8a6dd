// The policy in plain words, to compare the gateway's answers with: written from the description of
// the fields alone, slow and short.

/** Does a pattern, in which `*` stands for anything, describe the whole text? */
export function describes(pattern, text) {
  const words = pattern.split('*').map((word) => word.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${words.join('[^]*')}$`).test(text);
}

/** Is there a text that both patterns describe? */
export function meet(one, other) {
  if (!one) return /^\**$/.test(other);
  if (!other) return meet(other, one);
  if (one[0] === '*') return meet(one.slice(1), other) || meet(one, other.slice(1));
  if (other[0] === '*') return meet(other, one);
  return one[0] === other[0] && meet(one.slice(1), other.slice(1));
}

/** Whom `subjects` means; `who` holds the claims of the token. */
export function means(subjects, who) {
  if (!subjects) return true;
  const { subs, groups, issuers, claims } = subjects;
  if (!subs && !groups && !issuers && !claims) return false;
  if (issuers && !issuers.includes(who.iss)) return false;
  for (const [name, value] of Object.entries(claims ?? {})) {
    const own = who[name];
    if (own !== value && !(Array.isArray(own) && own.includes(value))) return false;
  }
  if (!subs && !groups) return true;
  const own = Array.isArray(who.groups) ? who.groups : [];
  return Boolean(subs?.includes(who.sub) || groups?.some((group) => own.includes(group)));
}

/** `{ allowed, rule }` of a call; `fits(pattern)` says whether a pattern means its name. */
function judge({ defaultDecision = 'deny', rules = [] }, who, upstream, method, fits) {
  const grants = ({ server, methods, names }) =>
    (server === '*' || server === upstream) && (!methods || methods.includes(method)) && (!names || names.some(fits));
  const rule = rules.find(({ subjects, allow }) => means(subjects, who) && allow.some(grants));
  return rule ? { allowed: true, rule: rule.id } : { allowed: defaultDecision === 'allow', rule: undefined };
}

export const judgeName = (policy, who, upstream, method, name) =>
  judge(policy, who, upstream, method, (pattern) => describes(pattern, name));

/** The same for a URI template: an expression may become anything. */
export const judgeTemplate = (policy, who, upstream, method, template) =>
  judge(policy, who, upstream, method, (pattern) => meet(pattern, template.replace(/\{[^}]*\}/g, '*')));
