/**
 * Webhook settings of a tenant (decisions 10), with the plan's limit and the signing secrets.
 */

import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { AppError, notFound } from "../../core/errors.ts";
import { signingSecret } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import { requireUrl, type UrlProblem } from "../../platform/net/tenant-url.ts";
import { webhookSecretBinding } from "../../platform/secrets/secret-binding.ts";
import type { EventType } from "./event-types.ts";

export interface WebhookRecord {
  readonly id: number;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly enabled: boolean;
  readonly createdAt: number;
}

interface DeliveryRecord {
  readonly eventId: string;
  readonly deliveryId: string;
  readonly type: string;
  readonly attempt: number;
  readonly status: "delivered" | "failed";
  readonly httpStatus: number | null;
  readonly durationMs: number;
  readonly createdAt: number;
  readonly nextAttemptAt: number | null;
  /** True for "Send a test": its event is not stored, so it cannot be sent again. */
  readonly test: boolean;
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Implemented by store/webhook/webhook-store.ts. */
export interface WebhookRecords {
  list(tenantId: number): Promise<WebhookRecord[]>;
  find(tenantId: number, id: number): Promise<WebhookRecord | undefined>;
  count(tenantId: number): Promise<number>;
  /** Inserts with an empty secret: it is sealed to the id, so the row must exist first. */
  insert(tenantId: number, webhook: Omit<WebhookRecord, "id">): Promise<WebhookRecord>;
  setSecret(tenantId: number, id: number, sealed: string): Promise<void>;
  remove(tenantId: number, id: number): Promise<boolean>;
  deliveries(tenantId: number, id: number, page: Page): Promise<DeliveryRecord[]>;
}

/** The maximum number of webhooks in the tenant's plan. */
interface WebhookPlans {
  planOf(
    queries: Queries,
    tenantId: number,
  ): Promise<{ readonly slug: string; readonly maxWebhooks: number }>;
}

export interface SubscriptionDependencies {
  readonly database: Database;
  readonly records: (queries: Queries) => WebhookRecords;
  readonly plans: WebhookPlans;
  readonly vault: { seal(plain: string, binding: string): string };
  readonly clock: Clock;
  readonly random: Random;
  readonly urlProblem: UrlProblem;
}

interface WithSecret {
  readonly webhook: WebhookRecord;
  /** Shown to the user only once. */
  readonly secret: string;
}

export class Subscriptions {
  constructor(private readonly deps: SubscriptionDependencies) {}

  async #putSecret(queries: Queries, tenantId: number, id: number): Promise<string> {
    const secret = signingSecret(this.deps.random);
    await this.deps
      .records(queries)
      .setSecret(tenantId, id, this.deps.vault.seal(secret, webhookSecretBinding(id)));
    return secret;
  }

  /**
   * For the journal of revocations: a restore must bring back neither the old secret nor a deleted
   * endpoint.
   */
  #noteOf(queries: Queries, kind: "webhook" | "webhook_secret", tenant: number, webhook: number) {
    return this.deps.database.revocations.note(queries, [{ kind, tenant, webhook }]);
  }

  async #found(queries: Queries, tenantId: number, id: number): Promise<WebhookRecord> {
    const webhook = await this.deps.records(queries).find(tenantId, id);
    if (!webhook) throw notFound("webhook");
    return webhook;
  }

  list(tenantId: number) {
    return this.deps.records(this.deps.database.read).list(tenantId);
  }

  /** Throws plan_limit_reached, valid_url_required. */
  async create(
    tenantId: number,
    input: { url: string; events: readonly EventType[] },
  ): Promise<WithSecret> {
    requireUrl(this.deps.urlProblem, "url", input.url);
    return this.deps.database.tx(async (queries) => {
      const [plan, count] = await Promise.all([
        this.deps.plans.planOf(queries, tenantId),
        this.deps.records(queries).count(tenantId),
      ]);
      if (count >= plan.maxWebhooks) throw webhookCap(plan.slug, plan.maxWebhooks);
      const webhook = await this.deps.records(queries).insert(tenantId, {
        url: input.url,
        events: [...new Set(input.events)],
        enabled: true,
        createdAt: this.deps.clock.now(),
      });
      return { webhook, secret: await this.#putSecret(queries, tenantId, webhook.id) };
    });
  }

  /** The old secret becomes invalid at once. Throws not_found. */
  rotate(tenantId: number, id: number): Promise<WithSecret> {
    return this.deps.database.tx(async (queries) => {
      const webhook = await this.#found(queries, tenantId, id);
      const secret = await this.#putSecret(queries, tenantId, id);
      await this.#noteOf(queries, "webhook_secret", tenantId, id);
      return { webhook, secret };
    });
  }

  /** Returns the removed webhook. Throws not_found. */
  remove(tenantId: number, id: number): Promise<WebhookRecord> {
    return this.deps.database.tx(async (queries) => {
      const webhook = await this.#found(queries, tenantId, id);
      await this.deps.records(queries).remove(tenantId, id);
      await this.#noteOf(queries, "webhook", tenantId, id);
      return webhook;
    });
  }

  /** Newest first. Throws not_found. */
  async deliveries(tenantId: number, id: number, page: Page): Promise<DeliveryRecord[]> {
    await this.#found(this.deps.database.read, tenantId, id);
    return this.deps.records(this.deps.database.read).deliveries(tenantId, id, page);
  }
}

const webhookCap = (slug: string, webhooksMax: number) =>
  new AppError({
    code: "plan_limit_reached",
    publicMessage: `The plan ${slug} allows ${webhooksMax} webhooks. Delete one or change the plan.`,
  });
