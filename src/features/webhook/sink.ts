/**
 * Stores events: the event and one outbox row per subscriber, in the transaction of the change. A
 * committed event is delivered at least once; a rolled-back one is never sent.
 */

import type { Clock } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import { eventId } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import { envelopeBody } from "./envelope.ts";
import type { EventDraft, EventSink } from "./ports.ts";
import type { WebhookStores } from "./stores.ts";

/** The name of `call.ended` in the older variant of the agent webhook (specification 6). */
const OLDER_ENDED_TYPE = "call.completed";

interface EventSinkOptions {
  readonly stores: WebhookStores;
  readonly clock: Clock;
  readonly random: Random;
  readonly wake: () => void;
}

type UnsentEvent = Omit<EventDraft, "type" | "agentId"> & { readonly type: string };

export function createEventSink(options: EventSinkOptions): EventSink {
  const { stores, clock, random, wake } = options;

  function stamped({ type, callUuid, data }: UnsentEvent) {
    const id = eventId(clock, random);
    const createdAt = clock.now();
    return { id, type, callUuid, body: envelopeBody(id, type, createdAt, data), createdAt };
  }

  /** Reads nothing if the agent has no endpoint, so that it can be the last step of a transaction. */
  async function emit(
    queries: Queries,
    tenantId: number,
    ...events: readonly EventDraft[]
  ): Promise<void> {
    if (events.length === 0) return;
    const stored = events.map((event) => ({ event, row: stamped(event) }));
    const rows = stored.map(({ row }) => row);
    for (const row of rows) await stores.events(queries).insert(tenantId, row);
    await stores.events(queries).deliver(tenantId, rows);
    for (const { event, row } of stored) await sendToAgentsOwn(queries, tenantId, event, row);
  }

  async function sendToAgentsOwn(
    queries: Queries,
    tenantId: number,
    event: EventDraft,
    row: ReturnType<typeof stamped>,
  ): Promise<void> {
    if (event.type !== "call.ended" || event.agentId === null) return;
    const own = await stores.events(queries).legacyEndpoint(tenantId, event.agentId);
    if (!own) return;
    const older = own.olderVariant ? stamped({ ...event, type: OLDER_ENDED_TYPE }) : null;
    if (older) await stores.events(queries).insert(tenantId, older);
    const { id, createdAt } = older ?? row;
    const subscriber = { webhookId: null, legacyUrl: own.url };
    await stores.outbox(queries).insert(tenantId, id, subscriber, createdAt);
  }

  return { emit, wake };
}
