/** Text rehearsals with the built-in suites, on the embedded engine or another. */
import { fileURLToPath } from "node:url";
import { textRehearsals } from "../../../src/app/rehearsal.ts";
import type { ConversationSettings } from "../../../src/conversation/conversation-settings.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { WorkerHandle } from "../../../src/core/worker-handle.ts";
import { EMBEDDED_ONLY, type EngineSettings } from "../../../src/engine/settings.ts";
import { runSuiteInWriting } from "../../../src/features/rehearsal/rehearse-text.ts";
import { resultLines } from "../../../src/features/rehearsal/report.ts";
import { filesOf, loadSuite, type SuiteReport } from "../../../src/features/rehearsal/suite.ts";
import { SETTINGS } from "../media/scripted-call.ts";

const root = fileURLToPath(new URL("../../../rehearsals", import.meta.url));

/** The files of a built-in suite. */
export async function suiteFiles(suite: string): Promise<Map<string, string>> {
  const names = await Array.fromAsync(new Bun.Glob(`${suite}/*`).scan({ cwd: root }));
  const read = names.map(async (name) => [name, await Bun.file(`${root}/${name}`).text()] as const);
  return new Map(await Promise.all(read));
}

export async function rehearseFiles(
  files: ReadonlyMap<string, string>,
  engine: EngineSettings = EMBEDDED_ONLY,
  runs = 1,
  settings: Partial<ConversationSettings> = {},
  spawnKnowledge?: () => WorkerHandle,
): Promise<SuiteReport> {
  const callWorker = {
    engine,
    conversation: { ...SETTINGS, ...settings },
    rtpPorts: { first: 0, last: 0 },
    rtpTimeoutMs: 0,
    holdTimeoutMs: 0,
    jitterMsMax: 0,
  };
  const own = { clock: systemClock, log: silentLog };
  const ports = textRehearsals({ callWorker }, own, null, spawnKnowledge);
  const cases = await loadSuite(filesOf(files));
  return await runSuiteInWriting(cases, { runs, atOnce: 1 }, ports).finally(() => ports.close());
}

/** One line per failure; empty if all passed. */
export const failedLines = ({ results, runs }: SuiteReport): string[] =>
  results.filter(({ failures }) => failures.length > 0).flatMap((each) => resultLines(each, runs));
