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

  async function store(queries: Queries, tenantId: number, event: UnsentEvent) {
    const { type, callUuid, data } = event;
    const id = eventId(random);
    const createdAt = clock.now();
    const body = envelopeBody(id, type, createdAt, data);
    const stored = { id, type, callUuid, body, createdAt };
    await stores.events(queries).insert(tenantId, stored);
    return stored;
  }

  /** Without an agent's own endpoint nothing is read: it travels with what comes next. */
  async function emit(queries: Queries, tenantId: number, event: EventDraft): Promise<void> {
    const stored = await store(queries, tenantId, event);
    await stores.outbox(queries).insertForSubscribers(tenantId, stored);
    if (event.type !== "call.ended" || event.agentId === null) return;
    const legacy = await stores.events(queries).legacyEndpoint(tenantId, event.agentId);
    if (!legacy) return;
    const { id, createdAt } = legacy.olderVariant
      ? await store(queries, tenantId, { ...event, type: OLDER_ENDED_TYPE })
      : stored;
    const subscriber = { webhookId: null, legacyUrl: legacy.url };
    await stores.outbox(queries).insert(tenantId, id, subscriber, createdAt);
  }

  return { emit, wake };
}
