/**
 * The vocative of Lithuanian and Latvian names (kreipinys, vokatīvs), by their endings. Other languages
 * use the nominative. Each part of a double name is converted, case is kept, and a name without a rule
 * stays unchanged. A contact's own `vocative` has priority.
 *
 * Lithuanian: -as → -ai (Jonas → Jonai), -jas → -jau (Elijas → Elijau), -ias → -iau, -is → -i (Petraitis →
 * Petraiti), -ys → -y (Stasys → Stasy), -us → -au (Darius → Dariau), -ė → -e (Eglė → Egle), -a stays.
 * Latvian: -is → -i (Jānis → Jāni), -us → -u (Mikus → Miku), -s and -š go (Andrejs → Andrej, Bērziņš →
 * Bērziņ), -a, -e, -o stay.
 */
import type { AgentLanguage } from "../agent/agent.ts";

type Endings = readonly (readonly [string, string])[];

interface Rules {
  /** The first one that fits is used: longest first. */
  readonly endings: Endings;
  /** Names that only look as if a rule applied, mostly foreign women's names. Lower case. */
  readonly unchanged: ReadonlySet<string>;
}

const LITHUANIAN: Rules = {
  endings: [
    ["jas", "jau"],
    ["ias", "iau"],
    ["as", "ai"],
    ["is", "i"],
    ["ys", "y"],
    ["us", "au"],
    ["ė", "e"],
  ],
  unchanged: new Set(["iris", "doris", "beatris", "inis", "mercedes", "agnes", "venus"]),
};

const LATVIAN: Rules = {
  endings: [
    ["is", "i"],
    ["us", "u"],
    ["s", ""],
    ["š", ""],
  ],
  unchanged: new Set(["iris", "īris", "doris", "agnes", "mercedes", "ines"]),
};

const RULES: Readonly<Partial<Record<AgentLanguage, Rules>>> = { lt: LITHUANIAN, lv: LATVIAN };
/** A rule leaves at least this many letters. */
const STEM_MIN = 2;

/** "Jonas" → "Jonai" in Lithuanian, "Jānis" → "Jāni" in Latvian. */
export function vocativeOf(name: string, language: AgentLanguage): string {
  const rules = RULES[language];
  if (!rules) return name;
  return name.normalize("NFC").replace(/\p{L}+/gu, (part) => addressed(part, rules));
}

function addressed(name: string, { endings, unchanged }: Rules): string {
  const lower = name.toLowerCase();
  if (unchanged.has(lower)) return name;
  for (const [ending, instead] of endings)
    if (lower.endsWith(ending) && lower.length >= ending.length + STEM_MIN)
      return name.slice(0, -ending.length) + inCaseOf(name, instead);
  return name;
}

const inCaseOf = (name: string, text: string) =>
  name === name.toUpperCase() ? text.toUpperCase() : text;
