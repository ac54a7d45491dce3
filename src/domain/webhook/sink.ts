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

  function store(
    queries: Queries,
    tenantId: number,
    event: { readonly type: string; readonly callUuid: string | null; readonly data: JsonObject },
    agentId: number | null,
  ) {
    const { type, callUuid, data } = event;
    const id = eventId(random);
    const createdAt = clock.now();
    const body = envelopeBody(id, type, createdAt, data);
    const stored = { id, type, callUuid, body, createdAt };
    const send = (subscriber: Subscriber) =>
      stores.outbox(queries).insert(tenantId, id, subscriber, createdAt);
    return { send, recipients: stores.events(queries).insert(tenantId, stored, agentId) };
  }

  async function emit(queries: Queries, tenantId: number, event: EventDraft): Promise<void> {
    const agentId = event.type === "call.ended" ? event.agentId : null;
    const { send, recipients } = store(queries, tenantId, event, agentId);
    const { webhookIds, legacy } = await recipients;
    for (const webhookId of webhookIds) await send({ webhookId, legacyUrl: null });
    if (!legacy) return;
    const subscriber = { webhookId: null, legacyUrl: legacy.url };
    if (!legacy.olderVariant) return await send(subscriber);
    const older = store(queries, tenantId, { ...event, type: OLDER_ENDED_TYPE }, null);
    await older.recipients;
    await older.send(subscriber);
  }

  return { emit, wake };
}
