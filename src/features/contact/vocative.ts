/**
 * Vocative of Lithuanian and Latvian names (kreipinys, vokatīvs), by their endings. Other languages use the
 * nominative. Each part of a double name is converted, case is kept, and a name without a rule stays unchanged.
 * A contact's stored `vocative` has priority.
 *
 * Lithuanian: -as → -ai (Jonas → Jonai), -jas → -jau (Elijas → Elijau), -ias → -iau, -is → -i (Petraitis →
 * Petraiti), -ys → -y (Stasys → Stasy), -us → -au (Darius → Dariau), -ė → -e (Eglė → Egle), -a stays.
 * Latvian: -is → -i (Jānis → Jāni), -us → -u (Mikus → Miku), -s and -š are removed (Andrejs → Andrej, Bērziņš →
 * Bērziņ). -a, -e, -o and definite surnames (Baltais) stay.
 *
 * Foreign names stay unchanged ("Chris", "Dennis", "Klaus"). They are detected by spellings that the language
 * does not use, or by a list.
 */
import type { AgentLanguage } from "../agent/agent.ts";

type Endings = readonly (readonly [string, string])[];

interface Rules {
  /** The first match is used, so the longest is first. */
  readonly endings: Endings;
  /** Spellings that native names do not have. */
  readonly foreign: RegExp;
  /** Names that match a rule by accident. Lower case. */
  readonly unchanged: ReadonlySet<string>;
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Foreign names with an ending of native names. Native forms are spelt differently: "Borisas", "Boriss". */
const FOREIGN =
  "iris doris beatris mercedes agnes venus chris kris klaus claus nikolaus boris denis francis louis alexis lucas nicolas andreas marcus magnus rasmus linus curtis travis gladys elias tobias paris regis otis loris moris silas titus fergus angus";

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
  foreign: /[qwx]|([bdfgklmnprst])\1|th|ph|sh/,
  unchanged: names(`${FOREIGN} inis davis`),
};

const LATVIAN: Rules = {
  endings: [
    ["ais", "ais"],
    ["as", "as"],
    ["es", "es"],
    ["os", "os"],
    ["is", "i"],
    ["us", "u"],
    ["s", ""],
    ["š", ""],
  ],
  foreign: /[qwxy]|th|ph|sh|ck|(?:nn|ll|rr|tt)is$/,
  unchanged: names(`${FOREIGN} īris ines`),
};

const RULES: Readonly<Partial<Record<AgentLanguage, Rules>>> = { lt: LITHUANIAN, lv: LATVIAN };
/** Minimum letters left after applying a rule. */
const STEM_MIN = 2;

/** "Jonas" → "Jonai" in Lithuanian, "Jānis" → "Jāni" in Latvian. */
export function vocativeOf(name: string, language: AgentLanguage): string {
  const rules = RULES[language];
  if (!rules) return name;
  return name.normalize("NFC").replace(/\p{L}+/gu, (part) => addressed(part, rules));
}

function addressed(name: string, { endings, foreign, unchanged }: Rules): string {
  const lower = name.toLowerCase();
  if (unchanged.has(lower) || foreign.test(lower)) return name;
  for (const [ending, instead] of endings)
    if (lower.endsWith(ending) && lower.length >= ending.length + STEM_MIN)
      return name.slice(0, -ending.length) + inCaseOf(name, instead);
  return name;
}

const inCaseOf = (name: string, text: string) =>
  name === name.toUpperCase() ? text.toUpperCase() : text;
