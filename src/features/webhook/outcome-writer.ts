/**
 * Writes outcomes in groups: the first at once, and all that finish during the following pause in
 * one transaction. So a busy hour needs few syncs to disk, and a quiet one has no delay.
 */
import { type Clock, type ClockTrust, sleep } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import type { Random } from "../../core/random.ts";
import { type Attempted, type SwitchedOff, writeOutcomes } from "./outcome.ts";
import type { WebhookStores } from "./stores.ts";
import type { SwitchedOffListener } from "./switched-off.ts";

export interface OutcomeWriter {
  /** Resolves when the outcome is durable. Returns the endpoint that it disabled, or null. */
  write(attempted: Attempted): Promise<SwitchedOff | null>;
}

interface Waiting {
  readonly attempted: Attempted;
  readonly done: (off: SwitchedOff | null) => void;
  readonly fail: (error: unknown) => void;
}

export function createOutcomeWriter(options: {
  readonly database: Database;
  readonly stores: WebhookStores;
  readonly clock: Clock;
  readonly trust: Pick<ClockTrust, "mayDelete"> | undefined;
  readonly random: Random;
  readonly pauseMs: number;
  readonly switchedOff: SwitchedOffListener | undefined;
}): OutcomeWriter {
  const { database, stores, clock, trust, random, pauseMs, switchedOff } = options;
  /** Bounded by the number of concurrent deliveries. */
  let waiting: Waiting[] = [];
  let writing = false;

  async function writeAll(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      await writeGroup(takeWaiting());
      if (pauseMs > 0) await sleep(clock, pauseMs);
    }
    writing = false;
  }

  function takeWaiting(): Waiting[] {
    const group = waiting;
    waiting = [];
    return group;
  }

  async function writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const written = await database.tx(async (queries) => {
        const attempts = group.map(({ attempted }) => attempted);
        const results = await writeOutcomes(stores, queries, attempts, clock, random, trust);
        for (const [index, off] of results.entries()) {
          const tenantId = attempts[index]?.delivery.tenantId;
          if (off && tenantId !== undefined) await switchedOff?.store(queries, tenantId, off);
        }
        return results;
      });
      for (const [index, { done }] of group.entries()) done(written[index] ?? null);
    } catch (error) {
      if (group.length > 1) for (const one of group) await writeGroup([one]);
      else group[0]?.fail(error);
    }
  }

  return {
    write: (attempted) =>
      new Promise((done, fail) => {
        waiting.push({ attempted, done, fail });
        if (!writing) void writeAll();
      }),
  };
}
