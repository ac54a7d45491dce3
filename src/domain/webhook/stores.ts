/**
 * The rows webhooks need, as ports; `src/adapter/store/webhook-stores.ts` implements them. The worker's
 * functions reach over all tenants: what is due is due whoever owns it.
 */
import type { Queries } from "../../core/database.ts";

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly callUuid: string | null;
  readonly body: string;
  readonly createdAt: number;
}

export interface EventStore {
  insert(tenantId: number, event: StoredEvent): Promise<void>;
}

/** Whom an event goes to: a webhook, or an agent's legacy `webhook_url`. */
export interface Subscriber {
  readonly webhookId: number | null;
  readonly legacyUrl: string | null;
}

export interface SubscriberStore {
  /** Enabled webhooks that chose this type. */
  webhooksFor(tenantId: number, type: string): Promise<readonly number[]>;
  /** null: the agent has no webhook_url, it was switched off, or there is no such agent. */
  legacyOf(
    tenantId: number,
    agentId: number,
  ): Promise<{ readonly url: string; readonly olderVariant: boolean } | null>;
  /** null: no such webhook of this tenant. */
  target(tenantId: number, webhookId: number): Promise<WebhookTarget | null>;
  /** Sealed tenant-level secret. */
  tenantSecret(tenantId: number): Promise<string | null>;
}

interface WebhookTarget {
  readonly url: string;
  readonly secretSealed: string;
  readonly enabled: boolean;
}

/** One claimed copy of an event. */
export interface DueDelivery {
  readonly outboxId: number;
  readonly tenantId: number;
  readonly webhookId: number | null;
  readonly legacyUrl: string | null;
  /** Attempts made before. */
  readonly attempts: number;
  readonly eventId: string;
  readonly type: string;
  readonly callUuid: string | null;
  readonly body: string;
  /** Since when the endpoint has been failing; null: it works. */
  readonly failingSince: number | null;
}

export interface Busy {
  /** Every endpoint that is failing. */
  readonly failing: boolean;
  readonly webhookIds: readonly number[];
  readonly legacyUrls: readonly string[];
}

export interface OutboxStore {
  insert(tenantId: number, eventId: string, subscriber: Subscriber, nowMs: number): Promise<void>;
  /**
   * The oldest of each endpoint, oldest first: pending, due, not leased, of enabled endpoints, not for busy ones, and not while an
   * earlier event of the same call is under way to the same endpoint (by a dead process, perhaps).
   */
  due(nowMs: number, busy: Busy, limit: number): Promise<readonly DueDelivery[]>;
  lease(outboxIds: readonly number[], owner: string, untilMs: number): Promise<void>;
  /** Gives claimed rows back untouched. */
  release(outboxIds: readonly number[], owner: string): Promise<void>;
  /** When the next one after `nowMs` comes due; null: nothing waits. */
  nextDueAfter(nowMs: number): Promise<number | null>;
  /**
   * Writes the outcome of an attempt and drops the lease. False when the row is gone or another
   * node holds it by now.
   */
  conclude(
    outboxId: number,
    owner: string,
    outcome: {
      readonly status: "pending" | "delivered" | "failed";
      readonly attempts: number;
      readonly nextAttemptAt: number | null;
    },
  ): Promise<boolean>;
  /**
   * Pending deliveries to a subscriber that was switched off will not be sent. One that is just being
   * sent still gets the outcome of that attempt.
   */
  abandon(tenantId: number, subscriber: Subscriber): Promise<void>;
  /** Event ids of this webhook's failed deliveries, oldest first. */
  failedEvents(tenantId: number, webhookId: number, limit: number): Promise<readonly string[]>;
  /** Starts these events' rows over, due now; one that is just being sent is left alone. */
  restart(
    tenantId: number,
    webhookId: number,
    eventIds: readonly string[],
    nowMs: number,
  ): Promise<void>;
}

interface DeliveryRecord {
  readonly id: string;
  /** null: a test. */
  readonly outboxId: number | null;
  readonly webhookId: number | null;
  readonly eventId: string;
  readonly type: string;
  readonly attempt: number;
  readonly status: "delivered" | "failed";
  readonly httpStatus: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  readonly createdAt: number;
  readonly nextAttemptAt: number | null;
}

/** The delivery log: who, when, how it went; never what was sent. */
export interface DeliveryStore {
  insert(tenantId: number, record: DeliveryRecord): Promise<void>;
  /** null: not this webhook's, or a test (whose event is not kept). */
  eventOf(tenantId: number, webhookId: number, deliveryId: string): Promise<string | null>;
}

interface EndpointHealth {
  readonly enabled: boolean;
  /** Since when every delivery failed; null: the last one succeeded. */
  readonly failingSince: number | null;
}

/** How an endpoint fares: a webhook, or a legacy URL of the tenant's. */
export interface HealthStore {
  /** null: the webhook is gone. */
  of(tenantId: number, subscriber: Subscriber): Promise<EndpointHealth | null>;
  succeeded(tenantId: number, subscriber: Subscriber): Promise<void>;
  /** Keeps the time of the first failure in a row. */
  failed(tenantId: number, subscriber: Subscriber, nowMs: number): Promise<void>;
  disable(tenantId: number, subscriber: Subscriber, reason: string, nowMs: number): Promise<void>;
  /** Where the subscriber's events went, and whom to tell; null: it is gone. */
  contact(tenantId: number, subscriber: Subscriber): Promise<EndpointContact | null>;
}

export interface EndpointContact {
  readonly url: string;
  readonly tenantName: string;
  readonly email: string;
  /** Agents whose webhook_url it is; empty for a webhook. */
  readonly agentNames: readonly string[];
}

export interface WebhookStores {
  events(queries: Queries): EventStore;
  subscribers(queries: Queries): SubscriberStore;
  outbox(queries: Queries): OutboxStore;
  deliveries(queries: Queries): DeliveryStore;
  health(queries: Queries): HealthStore;
}
