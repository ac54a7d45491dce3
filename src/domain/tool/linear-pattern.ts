/**
 * Regular expressions that a tenant writes. All ways through a pattern are followed at once, one character after the
 * other (Thompson 1968), so that a match takes a time that grows with the text. The runtime's own engine tries one way
 * after the other, for hours where a pattern is meant to, and a thread that does so goes on when its worker is terminated.
 *
 * Refused: what needs to look back or ahead, flags inside of a pattern, and patterns that are too large.
 */

/** When {n} is expanded. The time for a character of the text grows with it: some 40 ns each. */
const STATES_MAX = 2_000;

const tokens = (escaped: string, flags: "g" | "gu") =>
  new RegExp(
    String.raw`\\(?:${escaped}|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|c[A-Za-z]|[\s\S])|\(\?(?:<?[=!]|[\-ims]+[:\)])|\((?:\?:|\?<[^>]+>)?|\[(?:\\[\s\S]|[^\]\\])*\]|[*+?]\??|\{\d+(?:,\d*)?\}\??|[\s\S]`,
    flags,
  );
const UNITS = tokens("0[0-7]{0,2}", "g");
const CODE_POINTS = tokens(
  String.raw`u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}|u\{[\dA-Fa-f]+\}|[pP]\{[^}]+\}`,
  "gu",
);
const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??$/;

/** The runtime's own: whoever reads a schema puts this file's in its place (run-tool-arguments.ts). */
const Backtracking = RegExp;

type Takes = (character: string) => boolean;

interface State {
  /** Takes one character; null: takes nothing. */
  readonly takes: Takes | null;
  /** Where it may be passed. */
  readonly holds: ((text: string, at: number) => boolean) | null;
  readonly next: number[];
}

/** Makes the states of a part, in front of the state `next`. Returns the first of them. */
type Part = (next: number) => number;

/** The message is one clause. */
export class PatternRefused extends Error {}

/** As much of a RegExp as a check uses. The constructor throws PatternRefused, or SyntaxError. */
export class LinearPattern {
  lastIndex = 0;
  readonly #states: State[] = [{ takes: null, holds: null, next: [] }];
  readonly #start: number;
  readonly #known = new Map<string, Takes>();
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(
    readonly source: string,
    readonly flags: "" | "iu" = "",
    private readonly statesMax = STATES_MAX,
  ) {
    new Backtracking(source, flags);
    this.#tokens = source.match(this.#isUnicode ? CODE_POINTS : UNITS) ?? [];
    for (const token of this.#tokens) requireLinear(token);
    this.#start = this.#choice()(0);
  }

  test(text: string): boolean {
    const seen = new Int32Array(this.#states.length).fill(-1);
    let open: number[] = [];
    for (let at = 0; at <= text.length; ) {
      open.push(this.#start);
      const taking: State[] = [];
      for (let id = open.pop(); id !== undefined; id = open.pop()) {
        if (id === 0) return true;
        const state = this.#states[id];
        if (!state || seen[id] === at) continue;
        seen[id] = at;
        if (state.takes) taking.push(state);
        else if (state.holds?.(text, at) ?? true) open.push(...state.next);
      }
      const character = this.#characterAt(text, at);
      open = taking.flatMap(({ takes, next }) => (takes?.(character) ? next : []));
      at += Math.max(1, character.length);
    }
    return false;
  }

  toString(): string {
    return `/${this.source}/${this.flags}`;
  }

  get #isUnicode(): boolean {
    return this.flags !== "";
  }

  #characterAt(text: string, at: number): string {
    const point = this.#isUnicode ? text.codePointAt(at) : undefined;
    return point === undefined ? text.charAt(at) : String.fromCodePoint(point);
  }

  #add(state: State): number {
    if (this.#states.length > this.statesMax)
      throw new PatternRefused(
        `a pattern must match at most ${this.statesMax} characters by its {n} repeats`,
      );
    return this.#states.push(state) - 1;
  }

  #choice(): Part {
    const options = [this.#sequence()];
    while (this.#tokens[this.#at] === "|") {
      this.#at++;
      options.push(this.#sequence());
    }
    const [only] = options;
    if (only && options.length === 1) return only;
    return (next) =>
      this.#add({ takes: null, holds: null, next: options.map((option) => option(next)) });
  }

  #sequence(): Part {
    const parts: Part[] = [];
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token === undefined || token === "|" || token === ")") break;
      this.#at++;
      const quantifier = QUANTIFIER.exec(token);
      const before = quantifier && parts.pop();
      if (quantifier && before) parts.push(this.#repeated(before, token, quantifier));
      else parts.push(token.startsWith("(") ? this.#group() : this.#single(token));
    }
    return (next) => parts.reduceRight((after, part) => part(after), next);
  }

  #group(): Part {
    const inner = this.#choice();
    this.#at++;
    return inner;
  }

  #single(token: string): Part {
    const holds = this.#assertionOf(token);
    const takes = holds ? null : this.#takesOf(token);
    return (next) => this.#add({ takes, holds, next: [next] });
  }

  #assertionOf(token: string): State["holds"] {
    const isWord = this.#takesOf("\\w");
    const isEdge = (text: string, at: number) =>
      isWord(text.charAt(at - 1)) !== isWord(text.charAt(at));
    if (token === "^") return (_, at) => at === 0;
    if (token === "$") return (text, at) => at === text.length;
    if (token === "\\b") return isEdge;
    return token === "\\B" ? (text, at) => !isEdge(text, at) : null;
  }

  #takesOf(token: string): Takes {
    const known = this.#known.get(token);
    if (known) return known;
    const one = new Backtracking(`^(?:${token})$`, this.flags);
    const answers = new Map<string, boolean>();
    const takes: Takes = (character) => {
      const answer = answers.get(character) ?? one.test(character);
      answers.set(character, answer);
      return answer;
    };
    this.#known.set(token, takes);
    return takes;
  }

  #repeated(part: Part, token: string, [, least, range, most]: RegExpExecArray): Part {
    const min = least === undefined ? (token.startsWith("+") ? 1 : 0) : Number(least);
    const max = maxOf(token, least, range, most);
    return (next) => {
      let entry = next;
      if (max === Number.POSITIVE_INFINITY) {
        const state: State = { takes: null, holds: null, next: [next] };
        entry = this.#add(state);
        state.next.push(part(entry));
      } else
        for (let times = min; times < max; times++)
          entry = this.#add({ takes: null, holds: null, next: [part(entry), next] });
      for (let times = 0; times < min; times++) {
        const before = entry;
        entry = part(entry);
        // Of an empty part.
        if (entry === before) break;
      }
      return entry;
    };
  }
}

function requireLinear(token: string): void {
  if (/^\\(?:k|[1-9])/.test(token))
    throw new PatternRefused("a pattern must not refer back to a group (\\1)");
  if (/^\(\?<?[=!]/.test(token))
    throw new PatternRefused("a pattern must not look ahead or behind");
  if (/^\(\?[-ims]/.test(token) || token === "\\c")
    throw new PatternRefused("a pattern must not set flags, as (?i:a) does");
}

function maxOf(token: string, least?: string, range?: string, most?: string): number {
  if (token.startsWith("?")) return 1;
  if (least === undefined || most === "") return Number.POSITIVE_INFINITY;
  return Number(range === undefined ? least : most);
}
