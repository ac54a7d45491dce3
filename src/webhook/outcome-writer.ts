/**
 * Writes outcomes in groups: whatever attempts finished while the last transaction ran go into the next
 * one, so that a busy hour costs few syncs to disk and a quiet one no delay.
 */
import type { Clock } from "../core/clock.ts";
import type { Random } from "../core/random.ts";
import type { Database } from "../store/database.ts";
import { type Attempted, writeOutcome } from "./outcome.ts";
import type { WebhookStores } from "./stores.ts";

export interface OutcomeWriter {
  /** Resolves when it is durable, with why the webhook was disabled by it, or null. */
  write(attempted: Attempted): Promise<string | null>;
}

interface Waiting {
  readonly attempted: Attempted;
  readonly done: (disabled: string | null) => void;
  readonly fail: (error: unknown) => void;
}

export function createOutcomeWriter(options: {
  readonly database: Database;
  readonly stores: WebhookStores;
  readonly clock: Clock;
  readonly random: Random;
}): OutcomeWriter {
  const { database, stores, clock, random } = options;
  /** Bounded by the deliveries under way. */
  let waiting: Waiting[] = [];
  let writing = false;

  async function writeAll(): Promise<void> {
    writing = true;
    while (waiting.length > 0) await writeGroup(takeWaiting());
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
        const results: (string | null)[] = [];
        for (const { attempted } of group)
          results.push(await writeOutcome(stores, queries, attempted, clock, random));
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
