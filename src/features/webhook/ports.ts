/** The port through which the appliance reports events (specification 6, decisions 10). */

import type { Queries } from "../../core/database.ts";
import type { JsonObject } from "../../core/json.ts";
import type { EventType } from "./event-types.ts";

export interface EventDraft {
  readonly type: EventType;
  readonly callUuid: string | null;
  /** Agent whose legacy `webhook_url` receives call.ended; null: none. */
  readonly agentId: number | null;
  readonly data: JsonObject;
}

export interface EventSink {
  /** Stores events and one outbox row per subscriber in the caller's transaction. */
  emit(queries: Queries, tenantId: number, ...events: readonly EventDraft[]): Promise<void>;
  /** Call it after the commit: starts delivery soon. */
  wake(): void;
}
