/**
 * Process for a server's telephone rehearsals (`app/rehearsal-process.ts`); not a command for people.
 * Reads orders and writes results as lines of JSON. Exits when its input ends.
 */
import { writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { textRehearsals } from "../app/rehearsal.ts";
import { linesOf, type PhoneOrderLine, type PhoneResultLine } from "../app/rehearsal-process.ts";
import { callWorkerOf } from "../app/settings-from-config.ts";
import { systemClock as clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { silentLog } from "../core/log.ts";
import { openPhoneRehearsals } from "../demo/rehearsal/phone-rehearsal.ts";
import type { LiveTools } from "../features/rehearsal/text-call.ts";
import { configSchema } from "../ops/config/schema.ts";
import type { Command } from "./usage.ts";
import { version } from "./version.ts";

/** If memory runs out, the kernel kills this process before the server, which systemd protects. */
const OOM_SCORE = "500";

type Order = Extract<PhoneOrderLine, { type: "open" }>;

export const phonesCommand: Command = {
  usage: ["phones"],
  async run(_args, terminal) {
    giveWay();
    const tell = (line: PhoneResultLine) => terminal.out(JSON.stringify(line));
    const asked = new Map<number, (answer: Awaited<ReturnType<LiveTools>>) => void>();
    let phones: Awaited<ReturnType<typeof openOf>> | null = null;
    for await (const text of linesOf(Bun.stdin.stream())) {
      const line: PhoneOrderLine = JSON.parse(text);
      if (line.type === "tool") {
        asked.get(line.id)?.(line.answer);
        asked.delete(line.id);
      } else if (line.type === "rehearse") void phones?.(line);
      else {
        try {
          phones = await openOf(line, asked, tell);
          tell({ type: "ready" });
        } catch (error) {
          tell({ type: "failed", error: describeError(error) });
          return 1;
        }
      }
    }
    return 0;
  },
};

/** Lowers this process's CPU priority and its OOM protection, in favour of the server's calls. */
function giveWay(): void {
  const steps = [
    () => setPriority(constants.priority.PRIORITY_BELOW_NORMAL),
    () => writeFileSync("/proc/self/oom_score_adj", OOM_SCORE),
  ];
  for (const step of steps)
    try {
      step();
    } catch {
      // Not permitted here: run with the ordinary priority.
    }
}

async function openOf(
  { cases, recordingsDir, sections }: Order,
  asked: Map<number, (answer: Awaited<ReturnType<LiveTools>>) => void>,
  tell: (line: PhoneResultLine) => void,
) {
  let lastId = 0;
  const runTool: LiveTools = (agent, tool, values) => {
    const id = ++lastId;
    const place = cases.findIndex((each) => each.agent === agent);
    tell({ type: "tool", id, place, tool, values });
    return new Promise((resolve) => asked.set(id, resolve));
  };
  const config = configSchema.parse({});
  const worker = callWorkerOf({ ...config, ...sections });
  const { openModel } = textRehearsals({ callWorker: worker }, { clock, log: silentLog });
  const phones = await openPhoneRehearsals({
    version,
    cases,
    recordingsDir,
    sections,
    openModel,
    runTool,
  });
  return async ({ id, place, run }: Extract<PhoneOrderLine, { type: "rehearse" }>) => {
    const each = cases[place];
    if (each) tell({ type: "result", id, result: await phones.rehearse(each, run) });
  };
}
