/**
 * The ports for webhook rows; `src/features/webhook/webhook-stores.ts` implements them. The worker's
 * functions cover all tenants.
 */
import type { Queries } from "../../core/database.ts";
import type { Reader } from "../mail/reader.ts";

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly callUuid: string | null;
  readonly body: string;
  readonly createdAt: number;
}

export interface EventStore {
  /** Stores the event without deliveries. */
  insert(tenantId: number, event: StoredEvent): Promise<void>;
  /** Adds a delivery of each stored event to each enabled webhook that selected its type. Reads nothing. */
  deliver(tenantId: number, events: readonly StoredEvent[]): Promise<void>;
  /** The agent's webhook_url; null if it has none, it was disabled, or the agent does not exist. */
  legacyEndpoint(
    tenantId: number,
    agentId: number,
  ): Promise<{ readonly url: string; readonly olderVariant: boolean } | null>;
}

/** The receiver of an event: a webhook, or an agent's legacy `webhook_url`. */
export interface Subscriber {
  readonly webhookId: number | null;
  readonly legacyUrl: string | null;
}

export interface SubscriberStore {
  /** Null if the tenant has no such webhook. */
  target(tenantId: number, webhookId: number): Promise<WebhookTarget | null>;
  /** The existing ones of these webhooks, of any tenants. */
  targets(webhookIds: readonly number[]): Promise<readonly WebhookTargetOf[]>;
  /** The tenant-wide secret, sealed. */
  tenantSecret(tenantId: number): Promise<string | null>;
}

interface WebhookTarget {
  readonly url: string;
  readonly secretSealed: string;
  readonly enabled: boolean;
}

interface WebhookTargetOf extends WebhookTarget {
  readonly tenantId: number;
  readonly webhookId: number;
}

/** One claimed copy of an event. */
export interface DueDelivery {
  readonly outboxId: number;
  readonly tenantId: number;
  readonly webhookId: number | null;
  readonly legacyUrl: string | null;
  /** Attempts before this one. */
  readonly attempts: number;
  readonly eventId: string;
  readonly type: string;
  readonly callUuid: string | null;
  readonly body: string;
  /** When the endpoint began to fail; null if it does not fail. */
  readonly failingSince: number | null;
}

export interface Busy {
  /** True if no failing endpoint has a free slot. */
  readonly failing: boolean;
  readonly webhookIds: readonly number[];
  readonly legacyUrls: readonly string[];
}

/** Conditions of a claim. */
export interface Claim {
  readonly busy: Busy;
  readonly limit: number;
  /** Maximum per endpoint, if the backlog is large. */
  readonly each: number;
  /**
   * For a large backlog: start after this endpoint; webhooks first, then agents' endpoints. Null: start at the
   * first.
   */
  readonly after: Subscriber | null;
  /** True if a large backlog is known. */
  readonly isCrowd: boolean;
}

export interface Due {
  readonly deliveries: readonly DueDelivery[];
  /** True if the backlog is large, though perhaps all for busy endpoints. */
  readonly isCrowd: boolean;
}

export interface BacklogCheck {
  readonly isAny: boolean;
  /** Same as in `Due`. */
  readonly isCrowd: boolean;
}

export interface OutboxStore {
  insert(tenantId: number, eventId: string, subscriber: Subscriber, nowMs: number): Promise<void>;
  /**
   * Due deliveries, oldest first; if the backlog is large, endpoint by endpoint.
   * Each is pending, due and not leased. Its endpoint is enabled and not busy, and has no earlier event of the
   * same call in progress (perhaps leased by a dead process).
   */
  due(nowMs: number, claim: Claim): Promise<Due>;
  /** Whether a delivery is due. `isCrowd` is as in `Claim`. */
  look(nowMs: number, busy: Busy, isCrowd: boolean): Promise<BacklogCheck>;
  lease(outboxIds: readonly number[], owner: string, untilMs: number): Promise<void>;
  /** Releases claimed rows unchanged. */
  release(outboxIds: readonly number[], owner: string): Promise<void>;
  /** Time of the next delivery due after `nowMs`; null if none waits. */
  nextDueAfter(nowMs: number): Promise<number | null>;
  /**
   * Writes the outcome of an attempt and releases the lease. Returns false if the row is gone or leased by
   * another node.
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
  /** Like `conclude`, for many successful deliveries. Returns those that this owner had leased. */
  concludeDelivered(outboxIds: readonly number[], owner: string): Promise<readonly number[]>;
  /**
   * Fails pending deliveries to a disabled subscriber. A delivery in flight still gets the outcome of its
   * attempt.
   */
  abandon(tenantId: number, subscriber: Subscriber): Promise<void>;
  /** Ids of this webhook's failed events, oldest first. */
  failedEvents(tenantId: number, webhookId: number, limit: number): Promise<readonly string[]>;
  /** Restarts these events' deliveries now, except those in flight. */
  restart(
    tenantId: number,
    webhookId: number,
    eventIds: readonly string[],
    nowMs: number,
  ): Promise<void>;
}

export interface DeliveryRecord {
  readonly tenantId: number;
  readonly id: string;
  /** Null for a test. */
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

/** The delivery log: receiver, time and result, never the content. */
export interface DeliveryStore {
  insertAll(records: readonly DeliveryRecord[]): Promise<void>;
  /** Null if the delivery does not belong to this webhook, or was a test (its event is not stored). */
  eventOf(tenantId: number, webhookId: number, deliveryId: string): Promise<string | null>;
}

interface EndpointHealth {
  readonly enabled: boolean;
  /** Start of the current series of failures; null if the last delivery succeeded. */
  readonly failingSince: number | null;
}

/** The health of an endpoint: a webhook, or a legacy URL of the tenant. */
export interface HealthStore {
  /** Null if the webhook no longer exists. */
  of(tenantId: number, subscriber: Subscriber): Promise<EndpointHealth | null>;
  /** The failing ones of these webhooks, of any tenants. */
  failing(webhookIds: readonly number[]): Promise<readonly number[]>;
  succeeded(tenantId: number, subscriber: Subscriber): Promise<void>;
  /** Keeps the time of the first failure of the current series. */
  failed(tenantId: number, subscriber: Subscriber, nowMs: number): Promise<void>;
  disable(tenantId: number, subscriber: Subscriber, reason: string, nowMs: number): Promise<void>;
  /** Address of the subscriber, and whom to notify; null if it no longer exists. */
  contact(tenantId: number, subscriber: Subscriber): Promise<EndpointContact | null>;
}

export interface EndpointContact extends Reader {
  readonly url: string;
  readonly tenantName: string;
  readonly email: string;
  /** Agents that use this webhook_url; empty for a webhook. */
  readonly agentNames: readonly string[];
}

export interface WebhookStores {
  events(queries: Queries): EventStore;
  subscribers(queries: Queries): SubscriberStore;
  outbox(queries: Queries): OutboxStore;
  deliveries(queries: Queries): DeliveryStore;
  health(queries: Queries): HealthStore;
}
