/**
 * Telephone rehearsals for a running server. They run in a separate process with low priority
 * (nice), which cannot crash the server. Both sides exchange lines of JSON: orders in, results out.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { OpenPhones, PhoneOrder, PhoneRehearsals } from "../features/rehearsal/rehearsals.ts";
import { failedResult, type RehearsalResult } from "../features/rehearsal/result.ts";
import type { SuiteCase } from "../features/rehearsal/suite.ts";
import type { LiveTools } from "../features/rehearsal/text-call.ts";
import type { Config } from "../ops/config/schema.ts";
import { atOrdinaryPriority } from "../platform/threads/priority.ts";

type Sections = Pick<Config, "engine" | "conversation">;
type ToolAnswer = Awaited<ReturnType<LiveTools>>;
type ToolValues = Parameters<LiveTools>[2];

/** Messages from the server. `place`: index of a case in the order. */
export type PhoneOrderLine =
  | ({
      readonly type: "open";
      readonly sections: Sections;
    } & PhoneOrder)
  | {
      readonly type: "rehearse";
      readonly id: number;
      readonly place: number;
      readonly run: number;
    }
  | { readonly type: "tool"; readonly id: number; readonly answer: ToolAnswer };

/** Messages from the rehearsal process. */
export type PhoneResultLine =
  | { readonly type: "ready" }
  | { readonly type: "failed"; readonly error: string }
  | { readonly type: "result"; readonly id: number; readonly result: RehearsalResult }
  | {
      readonly type: "tool";
      readonly id: number;
      readonly place: number;
      readonly tool: string;
      readonly values: ToolValues;
    };

export interface PhoneProgram {
  /** Command line of the program that runs the orders. */
  readonly command: readonly string[];
  /** Sections of the current configuration. */
  readonly sections: () => Sections;
}

interface PhoneProcessPorts {
  readonly dataDir: string;
  readonly runTool: LiveTools;
  readonly log: Log;
}

/** Splits a stream into complete lines. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

const WORK_DIR = "phones-";

/** Deletes files that a crashed server left behind. */
function removeLeftovers(dataDir: string): void {
  for (const name of readdirSync(dataDir))
    if (name.startsWith(WORK_DIR)) rmSync(join(dataDir, name), { recursive: true, force: true });
}

export function rehearsalProcess(
  { command, sections }: PhoneProgram,
  ports: PhoneProcessPorts,
): OpenPhones {
  removeLeftovers(ports.dataDir);
  return async (order) => {
    const phones = new PhoneProcess(command, order, ports);
    try {
      await phones.open(sections());
      return phones;
    } catch (error) {
      await phones.close();
      throw error;
    }
  };
}

class PhoneProcess implements PhoneRehearsals {
  readonly #child;
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;
  /** Pending results by order id. Called with null if the process ends first. */
  readonly #awaited = new Map<number, (result: RehearsalResult | null) => void>();
  #hasEnded = false;
  #lastId = 0;

  constructor(
    command: readonly string[],
    private readonly order: PhoneOrder,
    private readonly ports: PhoneProcessPorts,
  ) {
    // Removed when the process ends, for any reason.
    const workDir = mkdtempSync(join(ports.dataDir, WORK_DIR));
    this.#child = atOrdinaryPriority(() =>
      Bun.spawn([...command], {
        env: { ...process.env, TMPDIR: workDir },
        stdin: "pipe",
        stdout: "pipe",
        stderr: "ignore",
      }),
    );
    this.#ready.promise.catch(() => {});
    const followed = this.#follow(this.#child.stdout);
    this.#ended = Promise.allSettled([followed, this.#child.exited]).then(() => {
      this.#hasEnded = true;
      rmSync(workDir, { recursive: true, force: true });
      this.#ready.reject(new Error("the telephones did not start"));
      for (const resolve of this.#awaited.values()) resolve(null);
      ports.log.debug("rehearsal.phones_ended", { status: this.#child.exitCode });
    });
  }

  /** Resolves when the process can place calls. */
  async open({ engine, conversation }: Sections): Promise<void> {
    // Not the whole configuration: the other sections contain the server's addresses.
    this.#tell({ type: "open", ...this.order, sections: { engine, conversation } });
    await this.#ready.promise;
  }

  async rehearse(each: SuiteCase, run: number): Promise<RehearsalResult> {
    const id = ++this.#lastId;
    const place = this.order.cases.indexOf(each);
    const found = this.#hasEnded
      ? null
      : await new Promise<RehearsalResult | null>((resolve) => {
          this.#awaited.set(id, resolve);
          this.#tell({ type: "rehearse", id, place, run });
        });
    this.#awaited.delete(id);
    const why = "the telephones stopped before its end";
    return found ?? failedResult(each.scenario, run, each.agent, why);
  }

  async close(): Promise<void> {
    if (!this.#hasEnded) this.#child.kill("SIGKILL");
    await this.#ended;
  }

  /**
   * If the process has just ended, the write fails (EPIPE, now or later). `#ended` handles that.
   */
  #tell(line: PhoneOrderLine): void {
    this.#write(`${JSON.stringify(line)}
`).catch(() => this.#child.kill("SIGKILL"));
  }

  async #write(line: string): Promise<void> {
    const { stdin } = this.#child;
    await stdin.write(line);
    await stdin.flush();
  }

  async #follow(lines: ReadableStream<Uint8Array>): Promise<void> {
    for await (const text of linesOf(lines)) {
      const line: PhoneResultLine = JSON.parse(text);
      if (line.type === "ready") this.#ready.resolve();
      else if (line.type === "failed") this.#ready.reject(new Error(line.error));
      else if (line.type === "result") this.#awaited.get(line.id)?.(line.result);
      else void this.#answerTool(line);
    }
  }

  async #answerTool(line: Extract<PhoneResultLine, { type: "tool" }>): Promise<void> {
    const { id, place, tool, values } = line;
    const asked = this.order.cases[place];
    if (!asked) return;
    const answer = await this.ports.runTool(asked.agent, tool, values).catch(
      (error): ToolAnswer => ({
        ok: false,
        httpStatus: null,
        output: { error: describeError(error) },
      }),
    );
    this.#tell({ type: "tool", id, answer });
  }
}
