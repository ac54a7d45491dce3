/**
 * The schema worker: checks values against a tenant's JSON Schema. A tenant's schema can keep a
 * thread busy for a long time, so this is not the main thread. The creator of this thread ends it
 * at a deadline.
 */

import type { JsonObject } from "../core/json.ts";
import type { AskedArguments } from "../features/tool/argument-check.ts";
import { argumentProblem } from "../features/tool/run-tool-arguments.ts";
import type { FromJobWorker, ToJobWorker } from "../platform/threads/job-worker.ts";

declare const self: Worker;

function answer(message: FromJobWorker<string | null>): void {
  self.postMessage(message);
}

self.onmessage = ({
  data: { jobId, schema, values },
}: MessageEvent<ToJobWorker<AskedArguments>>) => {
  answer({ type: "begun", jobId });
  const result = argumentProblem(
    JSON.parse(schema) as JsonObject,
    JSON.parse(values) as JsonObject,
  );
  answer({ type: "done", jobId, result });
};

// The first check compiles the checker, so that no job has to wait for that.
argumentProblem({ type: "object", properties: { day: { type: "string" } } }, { day: "Friday" });
answer({ type: "ready" });
