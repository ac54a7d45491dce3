/**
 * The scenario worker: reads scenarios of rehearsals. A tenant's YAML and patterns can keep a
 * thread busy for a long time, so this is not the main thread. The main thread ends this one at a
 * deadline.
 */

import { readScenario } from "../features/rehearsal/read-scenario.ts";
import { ScenarioInvalid } from "../features/rehearsal/scenario-invalid.ts";
import type { AskedScenario, ReadResult } from "../features/rehearsal/scenario-reader.ts";
import type { FromJobWorker, ToJobWorker } from "../platform/threads/job-worker.ts";

declare const self: Worker;

function answer(message: FromJobWorker<ReadResult>): void {
  self.postMessage(message);
}

function resultOf({ file, source, linesBefore }: AskedScenario): ReadResult {
  try {
    return { scenario: readScenario(file, source, linesBefore) };
  } catch (error) {
    if (error instanceof ScenarioInvalid) return { found: error.found };
    throw error;
  }
}

self.onmessage = ({ data }: MessageEvent<ToJobWorker<AskedScenario>>) => {
  const { jobId } = data;
  answer({ type: "begun", jobId });
  answer({ type: "done", jobId, result: resultOf(data) });
};

// The first reading compiles the schema, so that no job has to wait for that.
readScenario("ready.yaml", "name: Ready\nscript: [{hang_up: true}]\n");
answer({ type: "ready" });
