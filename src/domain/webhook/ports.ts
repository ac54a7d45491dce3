/** Events as the rest of the appliance reports them (specification 6, decisions.md 10). */

import type { Queries } from "../../core/database.ts";
import type { JsonObject } from "../../core/json.ts";

/** The seven of the specification. */
export const SPECIFIED_EVENT_TYPES = [
  "call.started",
  "call.answered",
  "call.ended",
  "call.failed",
  "transcript.completed",
  "recording.ready",
  "tool.executed",
] as const;

/**
 * What decisions.md 8 and 12 ask to be told beside the seven: money that runs low, calls that were
 * stopped. An addition to the specification, so it goes only to webhooks that name it, like every other type.
 */
export const ADDED_EVENT_TYPES = ["call.balance_low", "balance.low", "dialing.stopped"] as const;

export const EVENT_TYPES = [...SPECIFIED_EVENT_TYPES, ...ADDED_EVENT_TYPES] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface EventDraft {
  readonly type: EventType;
  readonly callUuid: string | null;
  /** The agent whose legacy `webhook_url` listens to call.ended. */
  readonly agentId: number | null;
  readonly data: JsonObject;
}

export interface EventSink {
  /** Stores the event and one outbox row a subscriber in the caller's transaction. */
  emit(queries: Queries, tenantId: number, event: EventDraft): Promise<void>;
  /** After the commit: deliver soon. */
  wake(): void;
}
