/**
 * Rehearsals by telephone for a running server: in a process of their own, which gives way to the server's calls
 * (nice) and cannot take them down. Both sides speak in lines of JSON: orders in, results out.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../core/log.ts";
import type { OpenPhones, PhoneOrder } from "../domain/rehearsal/rehearsals.ts";
import { failedResult, type RehearsalResult } from "../domain/rehearsal/result.ts";
import type { SuiteCase } from "../domain/rehearsal/suite.ts";
import type { LiveTools } from "../domain/rehearsal/text-call.ts";
import type { Config } from "../operations/config/schema.ts";

type ToolAnswer = Awaited<ReturnType<LiveTools>>;
type ToolValues = Parameters<LiveTools>[2];

/** From the server. `place`: of a case in the order. */
export type PhoneOrderLine =
  | ({
      readonly type: "open";
      readonly sections: Pick<Config, "engine" | "conversation">;
      readonly asksTools: boolean;
    } & PhoneOrder)
  | {
      readonly type: "rehearse";
      readonly id: number;
      readonly place: number;
      readonly run: number;
    }
  | { readonly type: "tool"; readonly id: number; readonly answer: ToolAnswer };

/** From the telephones. */
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
  /** The program with its arguments that carries the orders out. */
  readonly command: readonly string[];
  /** As they are in force. */
  readonly sections: () => Pick<Config, "engine" | "conversation">;
}

interface PhoneProcessPorts {
  readonly dataDir: string;
  readonly runTool: LiveTools;
  readonly log: Log;
}

/** Text by lines, each whole. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

export const phoneProcess =
  ({ command, sections }: PhoneProgram, ports: PhoneProcessPorts): OpenPhones =>
  async (order) => {
    const { runTool, log, dataDir } = ports;
    // Deleted with the process, however it ends.
    const workDir = mkdtempSync(join(dataDir, "phones-"));
    const child = Bun.spawn([...command], {
      env: { ...process.env, TMPDIR: workDir },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    });
    const tell = (line: PhoneOrderLine) => {
      child.stdin.write(`${JSON.stringify(line)}\n`);
      void child.stdin.flush();
    };
    const ready = Promise.withResolvers<void>();
    ready.promise.catch(() => {});
    const awaited = new Map<number, (result: RehearsalResult | null) => void>();
    let hasEnded = false;
    const receive = async (line: PhoneResultLine) => {
      if (line.type === "ready") ready.resolve();
      else if (line.type === "failed") ready.reject(new Error(line.error));
      else if (line.type === "result") awaited.get(line.id)?.(line.result);
      else {
        const { id, place, tool, values } = line;
        const asked = order.cases[place];
        if (asked) tell({ type: "tool", id, answer: await runTool(asked.agent, tool, values) });
      }
    };
    const followed = (async () => {
      for await (const line of linesOf(child.stdout))
        await receive(JSON.parse(line)).catch(() => {});
    })();
    const ended = Promise.allSettled([followed, child.exited]).then(() => {
      hasEnded = true;
      rmSync(workDir, { recursive: true, force: true });
      ready.reject(new Error("the telephones did not start"));
      for (const resolve of awaited.values()) resolve(null);
      log.debug("rehearsal.phones_ended", { status: child.exitCode });
    });
    const close = async () => {
      if (!hasEnded) child.kill("SIGKILL");
      await ended;
    };
    tell({ type: "open", ...order, sections: sections(), asksTools: true });
    await ready.promise.catch(async (error: unknown) => {
      await close();
      throw error;
    });
    let lastId = 0;
    return {
      close,
      async rehearse(each: SuiteCase, run: number) {
        const broken = () =>
          failedResult(each.scenario, run, each.agent, "the telephones stopped before its end");
        if (hasEnded) return broken();
        const id = ++lastId;
        const found = new Promise<RehearsalResult | null>((resolve) => awaited.set(id, resolve));
        tell({ type: "rehearse", id, place: order.cases.indexOf(each), run });
        const result = await found;
        awaited.delete(id);
        return result ?? broken();
      },
    };
  };
