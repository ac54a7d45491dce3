/**
 * The ports for webhook rows; `src/adapter/store/webhook/webhook-stores.ts` implements them. The worker's
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
  /** For no subscriber yet. */
  insert(tenantId: number, event: StoredEvent): Promise<void>;
  /** Adds a delivery of each stored event to each enabled webhook that selected its type. Reads nothing. */
  deliver(tenantId: number, events: readonly StoredEvent[]): Promise<void>;
  /** The agent's webhook_url; null: it has none, it was disabled, or there is no such agent. */
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
  /** Null: the tenant has no such webhook. */
  target(tenantId: number, webhookId: number): Promise<WebhookTarget | null>;
  /** Those of these webhooks, of whatever tenants, that there are. */
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
  /** Since when the endpoint has been failing; null: it is not. */
  readonly failingSince: number | null;
}

export interface Busy {
  /** True: no failing endpoint has a free slot. */
  readonly failing: boolean;
  readonly webhookIds: readonly number[];
  readonly legacyUrls: readonly string[];
}

/** Which deliveries a claim looks for. */
export interface Claim {
  readonly busy: Busy;
  readonly limit: number;
  /** Where much is due: at most so many of each endpoint. */
  readonly each: number;
  /** Where much is due: of the endpoints behind this one, first webhooks, then agents' own. Null: of all. */
  readonly after: Subscriber | null;
  /** It is known that much is due. */
  readonly isCrowd: boolean;
}

export interface Due {
  readonly deliveries: readonly DueDelivery[];
  /** Much is due, though it may all be for endpoints that are busy. */
  readonly isCrowd: boolean;
}

export interface Look {
  readonly isAny: boolean;
  /** As of `Due`. */
  readonly isCrowd: boolean;
}

export interface OutboxStore {
  insert(tenantId: number, eventId: string, subscriber: Subscriber, nowMs: number): Promise<void>;
  /**
   * What is due, the oldest first; where that is much, endpoint by endpoint. Each must be pending, due and not
   * leased, its endpoint enabled and not busy, and no earlier event of the same call may be in
   * progress to that endpoint (perhaps leased by a dead process).
   */
  due(nowMs: number, claim: Claim): Promise<Due>;
  /** Whether there is one. `isCrowd`: as of `Claim`. */
  look(nowMs: number, busy: Busy, isCrowd: boolean): Promise<Look>;
  lease(outboxIds: readonly number[], owner: string, untilMs: number): Promise<void>;
  /** Releases claimed rows unchanged. */
  release(outboxIds: readonly number[], owner: string): Promise<void>;
  /** When the next delivery after `nowMs` is due; null: none is waiting. */
  nextDueAfter(nowMs: number): Promise<number | null>;
  /**
   * Writes the outcome of an attempt and releases the lease. Returns false when the row is gone or
   * another node holds it.
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
  /** The same for many that were delivered. Returns those that this owner held. */
  concludeDelivered(outboxIds: readonly number[], owner: string): Promise<readonly number[]>;
  /**
   * Fails pending deliveries to a disabled subscriber. A delivery that is being sent still gets the
   * outcome of that attempt.
   */
  abandon(tenantId: number, subscriber: Subscriber): Promise<void>;
  /** Ids of this webhook's failed events, oldest first. */
  failedEvents(tenantId: number, webhookId: number, limit: number): Promise<readonly string[]>;
  /** Restarts these events' deliveries now. A delivery that is being sent is left alone. */
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
  /** Null: a test. */
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
  /** Null: not a delivery of this webhook, or a test (its event is not stored). */
  eventOf(tenantId: number, webhookId: number, deliveryId: string): Promise<string | null>;
}

interface EndpointHealth {
  readonly enabled: boolean;
  /** Since when every delivery has failed; null: the last one succeeded. */
  readonly failingSince: number | null;
}

/** The health of an endpoint: a webhook, or a legacy URL of the tenant. */
export interface HealthStore {
  /** Null: the webhook no longer exists. */
  of(tenantId: number, subscriber: Subscriber): Promise<EndpointHealth | null>;
  /** Which of these webhooks, of whatever tenants, are failing. */
  failing(webhookIds: readonly number[]): Promise<readonly number[]>;
  succeeded(tenantId: number, subscriber: Subscriber): Promise<void>;
  /** Keeps the time of the first failure in the current series. */
  failed(tenantId: number, subscriber: Subscriber, nowMs: number): Promise<void>;
  disable(tenantId: number, subscriber: Subscriber, reason: string, nowMs: number): Promise<void>;
  /** Where the subscriber's events were sent, and whom to notify; null: it no longer exists. */
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
