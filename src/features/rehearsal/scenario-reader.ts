/**
 * Reads a tenant's scenarios. A server uses the scenario worker, with a deadline for each. A command without a
 * server reads them in its thread.
 */
import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { type JobRefusal, JobWorker } from "../../platform/threads/job-worker.ts";
import type { Scenario } from "./scenario.ts";
import { ScenarioInvalid, type ScenarioProblem } from "./scenario-invalid.ts";

export interface AskedScenario {
  readonly file: string;
  readonly source: string;
  /** Lines of the whole text before this document. */
  readonly linesBefore: number;
}

export type ReadResult =
  | { readonly scenario: Scenario }
  | { readonly found: readonly ScenarioProblem[] };

export interface ScenarioReader {
  /** Rejects with ScenarioInvalid, unavailable. */
  read(tenantId: number, asked: AskedScenario): Promise<Scenario>;
  close(): void;
}

/** The largest valid scenario needs a twentieth of this. */
const DEADLINE_MS = 2_000;

/** The owner must `close` it. */
export function createScenarioReader(spawn: () => Worker, clock: Clock): ScenarioReader {
  const worker = new JobWorker<AskedScenario, ReadResult>({
    spawn,
    clock,
    deadlineMs: DEADLINE_MS,
  });
  return {
    async read(tenantId, asked) {
      const outcome = await worker.run(tenantId, asked);
      if (outcome.refused !== null) throw refusalOf(outcome.refused, asked.file);
      const { result } = outcome;
      if ("found" in result) throw new ScenarioInvalid(result.found);
      return result.scenario;
    },
    close: () => worker.close(),
  };
}

/** Reads in the calling thread. */
export const scenarioReaderHere: ScenarioReader = {
  async read(_tenantId, { file, source, linesBefore }) {
    // Imported late, because creating the schemas takes time.
    const { readScenario } = await import("./read-scenario.ts");
    return readScenario(file, source, linesBefore);
  },
  close: () => undefined,
};

const refusalOf = (refusal: JobRefusal, file: string) =>
  refusal === "too_slow"
    ? new ScenarioInvalid([
        {
          file,
          line: null,
          text: "takes too long to read; make two scenarios of it",
          messageName: { reason: "scenario_slow" },
        },
      ])
    : new AppError({
        code: "unavailable",
        publicMessage: "Other scenarios are being read. Try again in a moment.",
        retryable: true,
      });
