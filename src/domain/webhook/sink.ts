/**
 * Stores events: the event and one outbox row per subscriber, in the transaction of the change. A
 * committed event is delivered at least once; a rolled-back one is never sent.
 */

import type { Clock } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import { eventId } from "../../core/ids.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Random } from "../../core/random.ts";
import { envelopeBody } from "./envelope.ts";
import type { EventDraft, EventSink } from "./ports.ts";
import type { Subscriber, WebhookStores } from "./stores.ts";

/** The name of `call.ended` in the older variant of the agent webhook (specification 6). */
const OLDER_ENDED_TYPE = "call.completed";

interface EventSinkOptions {
  readonly stores: WebhookStores;
  readonly clock: Clock;
  readonly random: Random;
  readonly wake: () => void;
}

export function createEventSink(options: EventSinkOptions): EventSink {
  const { stores, clock, random, wake } = options;

  async function store(
    queries: Queries,
    tenantId: number,
    event: { readonly type: string; readonly callUuid: string | null; readonly data: JsonObject },
    subscribers: readonly Subscriber[],
  ): Promise<void> {
    const id = eventId(random);
    const createdAt = clock.now();
    await stores.events(queries).insert(tenantId, {
      id,
      type: event.type,
      callUuid: event.callUuid,
      body: envelopeBody(id, event.type, createdAt, event.data),
      createdAt,
    });
    for (const subscriber of subscribers)
      await stores.outbox(queries).insert(tenantId, id, subscriber, createdAt);
  }

  async function emit(queries: Queries, tenantId: number, event: EventDraft): Promise<void> {
    const found = await stores.subscribers(queries).webhooksFor(tenantId, event.type);
    const subscribers: Subscriber[] = found.map((webhookId) => ({ webhookId, legacyUrl: null }));
    const legacy =
      event.type === "call.ended" && event.agentId !== null
        ? await stores.subscribers(queries).legacyOf(tenantId, event.agentId)
        : null;
    if (legacy && !legacy.olderVariant)
      subscribers.push({ webhookId: null, legacyUrl: legacy.url });
    await store(queries, tenantId, event, subscribers);
    if (legacy?.olderVariant)
      await store(queries, tenantId, { ...event, type: OLDER_ENDED_TYPE }, [
        { webhookId: null, legacyUrl: legacy.url },
      ]);
  }

  return { emit, wake };
}
