/** Parses a site's robots.txt (RFC 9309): its rules for us and its sitemaps. */

interface Robots {
  /** `path` begins with "/" and includes the query. */
  allows(path: string): boolean;
  /** Addresses as written. */
  readonly sitemaps: readonly string[];
}

interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
}

/** Our user agent in robots.txt. */
const AGENT = "linevoice";
/** Minimum size that crawlers must read (RFC 9309, 2.5). */
export const ROBOTS_BYTES_MAX = 500 * 1024;
const LINES_MAX = 20_000;
const RULES_MAX = 1_000;
const SITEMAPS_MAX = 100;

export function readRobots(text: string): Robots {
  const groups = new Map<string, Rule[]>();
  const sitemaps: string[] = [];
  /** User agents of the current group that apply to us. */
  let agents = new Set<string>();
  let isNaming = false;
  for (const line of text.slice(0, ROBOTS_BYTES_MAX).split(/[\r\n]+/, LINES_MAX)) {
    const [, key = "", value = ""] = /^\s*([\w-]+)\s*:\s*([^#]*)/.exec(line) ?? [];
    const [name, said] = [key.toLowerCase(), value.trim()];
    if (name === "sitemap" && sitemaps.length < SITEMAPS_MAX) sitemaps.push(said);
    else if (name === "user-agent") {
      if (!isNaming) agents = new Set();
      const agent = said.toLowerCase();
      if (agent === AGENT || agent === "*") agents.add(agent);
      isNaming = true;
    } else if (name === "allow" || name === "disallow") {
      isNaming = false;
      if (said !== "") for (const agent of agents) addRule(groups, agent, name === "allow", said);
    }
  }
  const rules = groups.get(AGENT) ?? groups.get("*") ?? [];
  return { sitemaps, allows: (path) => isAllowed(rules, path) };
}

function addRule(groups: Map<string, Rule[]>, agent: string, allow: boolean, pattern: string) {
  const rules = groups.get(agent) ?? [];
  groups.set(agent, rules);
  if (rules.length < RULES_MAX) rules.push({ allow, pattern });
}

/** The longest matching rule decides. If two are equally long, "allow" wins. */
function isAllowed(rules: readonly Rule[], path: string): boolean {
  let best: Rule | null = null;
  for (const rule of rules) {
    const length = best?.pattern.length ?? 0;
    const isBetter = rule.pattern.length > length || (rule.pattern.length === length && rule.allow);
    if (isBetter && fits(rule.pattern, path)) best = rule;
  }
  return best?.allow ?? true;
}

/** `*` matches any text; `$` at the end matches the end of the path. */
function fits(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith("$");
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split("*");
  const [first = "", ...further] = parts;
  if (!path.startsWith(first)) return false;
  const last = isWhole ? further.pop() : undefined;
  let at = first.length;
  for (const part of further) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  if (!isWhole) return true;
  return last === undefined
    ? at === path.length
    : path.endsWith(last) && path.length - last.length >= at;
}
