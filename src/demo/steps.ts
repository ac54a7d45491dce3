/** The demo's steps: each has a name, is run, printed, and recorded if it fails. */
import { describeError } from "../core/errors.ts";
import type { Terminal } from "./terminal.ts";

export class Steps {
  readonly #failures: string[] = [];

  constructor(private readonly terminal: Terminal) {}

  get failures(): readonly string[] {
    return this.#failures;
  }

  /** Records a check that was made elsewhere. */
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
