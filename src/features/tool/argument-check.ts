/**
 * Main-thread side of the schema worker: checks tool arguments against a tenant's schema, with a deadline per
 * check (platform/threads/job-worker.ts).
 */
import { type Clock, systemClock } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import { type JobRefusal, JobWorker } from "../../platform/threads/job-worker.ts";

export interface ArgumentCheck {
  /** One sentence that a language model can act on; null if the arguments are valid. Never rejects. */
  problem(tenantId: number, schema: JsonObject, values: JsonObject): Promise<string | null>;
  /** Answers the waiting jobs and ends the worker. */
  close(): void;
}

/** Schema and values are JSON text: cloning a deeply nested object could fail. */
export interface AskedArguments {
  readonly schema: string;
  readonly values: string;
}

const DEADLINE_MS = 500;
const ARGUMENT_CHARACTERS_MAX = 64 * 1024;

const TOO_LARGE = `The arguments are larger than ${ARGUMENT_CHARACTERS_MAX} characters of JSON.`;
const REFUSED: Readonly<Record<JobRefusal, string>> = {
  too_slow:
    "The arguments could not be checked in time: the tool's parameter schema is too complicated.",
  too_many: "Too many tool calls are waiting. Try again in a moment.",
  closed: "The appliance is shutting down; the tool was not run.",
};

/** The owner must `close` it. */
export function createArgumentCheck(
  spawn: () => Worker,
  clock: Clock = systemClock,
): ArgumentCheck {
  const worker = new JobWorker<AskedArguments, string | null>({
    spawn,
    clock,
    deadlineMs: DEADLINE_MS,
  });
  return {
    async problem(tenantId, schema, values) {
      const text = jsonOf(values);
      if (text === null || text.length > ARGUMENT_CHARACTERS_MAX) return TOO_LARGE;
      const asked = { schema: JSON.stringify(schema), values: text };
      const outcome = await worker.run(tenantId, asked);
      return outcome.refused === null ? outcome.result : REFUSED[outcome.refused];
    },
    close: () => worker.close(),
  };
}

/** Null if it is nested too deeply to serialise. */
function jsonOf(values: JsonObject): string | null {
  try {
    return JSON.stringify(values);
  } catch {
    return null;
  }
}
