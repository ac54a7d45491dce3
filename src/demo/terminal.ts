/** The demo's output: sections, live lines, checks and steps. Colours only on a terminal. */
import { describeError } from "../core/errors.ts";

export interface Terminal {
  section(title: string): void;
  line(text?: string): void;
  /** `name   value`, aligned. */
  fact(name: string, value: string): void;
  passed(text: string): void;
  failed(text: string): void;
  /** One turn of a live call. */
  turn(turn: {
    readonly label: string;
    readonly atMs: number;
    readonly speaker: string;
    readonly text: string;
    readonly note: string;
  }): void;
}

const WIDTH = 78;
const NAME_WIDTH = 14;

export function createTerminal(write: (text: string) => void, colours: boolean): Terminal {
  const paint = (code: number) => (text: string) =>
    colours ? `\u001b[${code}m${text}\u001b[0m` : text;
  const [bold, dim, red, green, cyan] = [1, 2, 31, 32, 36].map(paint);
  const plain = (text: string) => text;
  const line = (text = "") => write(`${text}\n`);
  return {
    line,
    section(title) {
      line();
      line((bold ?? plain)(`── ${title} ${"─".repeat(Math.max(0, WIDTH - title.length - 4))}`));
    },
    fact(name, value) {
      const [first = "", ...rest] = value.split("\n");
      line(`  ${(dim ?? plain)(name.padEnd(NAME_WIDTH))}${first}`);
      for (const more of rest) line(`  ${" ".repeat(NAME_WIDTH)}${more}`);
    },
    passed(text) {
      line(`  ${(green ?? plain)("✓")} ${text}`);
    },
    failed(text) {
      line(`  ${(red ?? plain)("✗")} ${text}`);
    },
    turn({ label, atMs, speaker, text, note }) {
      const seconds = (atMs / 1000).toFixed(1).padStart(5);
      const who = speaker.padEnd(9);
      const painted = speaker === "Agent" ? (cyan ?? plain)(who) : who;
      line(
        `  ${label} ${(dim ?? plain)(`${seconds} s`)}  ${painted}${text}${(dim ?? plain)(note)}`,
      );
    },
  };
}

/** The demo's steps: each has a name, is run, printed, and recorded if it fails. */
export class Steps {
  readonly #failures: string[] = [];

  constructor(private readonly terminal: Terminal) {}

  get failures(): readonly string[] {
    return this.#failures;
  }

  /** Records the result of a check made elsewhere. */
  check(name: string, passed: boolean, detail: string): void {
    if (passed) this.terminal.passed(`${name}${detail === "" ? "" : `: ${detail}`}`);
    else this.#fail(name, detail);
  }

  /** Runs a step. Returns its result, or null if it failed: the demo continues with the next. */
  async attempt<Result>(name: string, task: () => Promise<Result>): Promise<Result | null> {
    try {
      return await task();
    } catch (error) {
      this.#fail(name, describeError(error));
      return null;
    }
  }

  #fail(name: string, detail: string): void {
    this.#failures.push(name);
    this.terminal.failed(`${name}: ${detail}`);
  }
}
