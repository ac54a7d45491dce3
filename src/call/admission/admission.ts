/**
 * Admission control: checks whether a tenant may make or take a call now. It runs when a call is requested,
 * again just before dialling, and at a transfer to a person (decisions 9, 12).
 *
 * It checks suspension, destination, funds, calls dialled per minute, money spent per day, and concurrent
 * calls. Concurrent calls are limited per plan, per appliance and, for outbound calls, per trunk.
 */

import type { Clock } from "../../core/clock.ts";
import { ahead, type Queries } from "../../core/database.ts";
import { type E164, isE164 } from "../../core/e164.ts";
import { AppError } from "../../core/errors.ts";
import type { MessageReason } from "../../core/message-reasons.ts";
import type { MicroEur } from "../../core/money.ts";
import type { Billing } from "../../features/billing/billing.ts";
import type { Standstill } from "../ports.ts";
import type { CallLoad, CallStores, CallTenant, CallTrunk } from "../stores.ts";
import {
  type BurstCheck,
  type BurstLimits,
  type BurstOptions,
  createDialingBurst,
} from "./dialing-burst.ts";
import { checkDestination, checkTransferTarget, type DialingRules } from "./dialing-rules.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Dialling limits that apply to every tenant (`[limits]`). */
export interface DialingLimits {
  /** `daily_spend_eur`: daily cap of a tenant for whom the operator set none. */
  readonly dailySpendMax: MicroEur;
  readonly burst: BurstLimits;
}

interface AdmissionOptions {
  readonly stores: Pick<CallStores, "calls" | "schedules" | "dialled">;
  readonly billing: Billing;
  readonly clock: Clock;
  /** `[limits] concurrent_calls`, over all tenants. */
  readonly concurrentCallsMax: number;
  /** Maximum concurrent calls for the embedded recogniser, over all tenants. Default: no limit. */
  readonly heardCallsMax?: number;
  /** True while more callers talk than the embedded recogniser can follow. Default: never. */
  readonly tooManyTalk?: () => boolean;
  readonly dialing: () => DialingLimits;
  /** Called for each call that the burst limit stopped. Default: nobody is notified. */
  readonly onBurstStop?: BurstOptions["onStop"];
  /** Calls with media now, over all tenants. */
  readonly liveCalls: () => number;
  /** Why the machine has no room for a new call; null if it has room. Default: always null. */
  readonly roomRejection?: () => string | null;
}

interface AskedRequest {
  readonly load: Promise<CallLoad>;
  readonly funds: Promise<void>;
  /** Null if the call is scheduled for later. */
  readonly now: { readonly burst: Promise<BurstCheck>; readonly dialled: Promise<number> } | null;
}

interface AskedFire {
  readonly burst: Promise<BurstCheck>;
  readonly dialled: Promise<number>;
  readonly load: Promise<CallLoad>;
}

const limitReached = (publicMessage: string, reason: MessageReason = "calls_at_once") =>
  new AppError({ code: "plan_limit_reached", publicMessage, reason, retryable: true });

/** The tenant's plan allows no more concurrent calls. The next caller gets the busy tone. */
export class PlanLinesBusy extends AppError {
  constructor(slug: string, calls: number) {
    super({
      code: "plan_limit_reached",
      reason: "calls_at_once",
      publicMessage: `Plan ${slug} allows ${calls} concurrent calls. Wait until one ends, or change the plan.`,
      retryable: true,
    });
  }
}

/** The recogniser cannot serve another caller. The caller hears an announcement about it. */
export class LinesBusy extends AppError {
  constructor(why: string) {
    super({
      code: "plan_limit_reached",
      reason: "calls_at_once",
      publicMessage: `All lines are busy: ${why}`,
      retryable: true,
    });
  }
}

export function rulesOf(tenant: CallTenant, trunk: CallTrunk | undefined): DialingRules {
  return {
    allowedPrefixes: tenant.allowedPrefixes?.split(",").filter(Boolean) ?? [],
    shortNumbers: tenant.shortNumbers?.split(",").filter(Boolean) ?? [],
    callerId: trunk?.callerId ?? null,
  };
}

/** Each check throws an AppError with the reason if the call is not allowed. */
export class Admission {
  /** Times of each tenant's transfers in the last minute. Each transfer dials, so it counts towards the rate. */
  readonly #transfers = new Map<number, readonly number[]>();
  readonly #burst: ReturnType<typeof createDialingBurst>;

  constructor(private readonly options: AdmissionOptions) {
    this.#burst = createDialingBurst({
      stores: options.stores,
      clock: options.clock,
      limits: () => options.dialing().burst,
      onStop: options.onBurstStop,
    });
  }

  dialing(): DialingLimits {
    return this.options.dialing();
  }

  /** Starts the queries that `request` needs, so that they share a round trip with the tenant's query. */
  askRequest(queries: Queries, tenantId: number, to: E164, immediate: boolean): AskedRequest {
    return {
      load: ahead(this.loadOf(queries, { id: tenantId })),
      funds: ahead(this.options.billing.requireFunds(queries, tenantId)),
      now: immediate
        ? {
            burst: ahead(this.#burst.ask(queries, tenantId, to)),
            dialled: ahead(this.#dialledOf(queries, tenantId, "with waiting")),
          }
        : null,
    };
  }

  /** Checks a request for an outbound call, now or later. */
  async request(
    queries: Queries,
    tenant: CallTenant,
    trunk: CallTrunk | undefined,
    to: E164,
    immediate: boolean,
    asked = this.askRequest(queries, tenant.id, to, immediate),
  ): Promise<void> {
    this.#machineHasRoom();
    notSuspended(tenant);
    checkDestination(to, rulesOf(tenant, trunk));
    const load = await asked.load;
    this.#withinSpend(tenant, load);
    await asked.funds;
    if (!asked.now) return;
    (await asked.now.burst)(callerIdOf(trunk));
    this.#withinRate(tenant, await asked.now.dialled);
    this.#withinConcurrency(tenant, load);
    withinChannels(trunk, load);
  }

  /** Starts the queries that `fire` needs, so that they share a round trip with the tenant's query. */
  askFire(queries: Queries, tenantId: number, to: E164): AskedFire {
    return {
      burst: ahead(this.#burst.ask(queries, tenantId, to)),
      dialled: ahead(this.#dialledOf(queries, tenantId, "dialled only")),
      load: ahead(this.loadOf(queries, { id: tenantId })),
    };
  }

  /**
   * Checks immediately before the INVITE; the caller then holds funds. Returns the number's country if it
   * differs from the caller ID's country.
   */
  async fire(
    queries: Queries,
    tenant: CallTenant,
    trunk: CallTrunk | undefined,
    to: E164,
    asked = this.askFire(queries, tenant.id, to),
  ): Promise<string | null> {
    this.#machineHasRoom();
    notSuspended(tenant);
    checkDestination(to, rulesOf(tenant, trunk));
    const toCountry = (await asked.burst)(callerIdOf(trunk));
    this.#withinRate(tenant, await asked.dialled);
    const load = await asked.load;
    this.#withinSpend(tenant, load);
    this.#withinConcurrency(tenant, load);
    withinChannels(trunk, load);
    return toCountry;
  }

  /**
   * Checks the transfer of a live call to a person. The carrier or the appliance dials that person.
   *
   * The call keeps its place among the concurrent calls. An allowed transfer counts towards the calls per
   * minute.
   */
  async transfer(
    queries: Queries,
    tenant: CallTenant,
    trunk: CallTrunk | undefined,
    to: string,
  ): Promise<void> {
    notSuspended(tenant);
    const number = checkTransferTarget(to, rulesOf(tenant, trunk));
    const [burst, load, dialled] = await Promise.all([
      number ? this.#burst.ask(queries, tenant.id, number, "to") : null,
      this.loadOf(queries, tenant),
      this.#dialledOf(queries, tenant.id, "with waiting"),
    ]);
    // No await from here on: a concurrent check must count this transfer.
    const country = burst?.(callerIdOf(trunk)) ?? null;
    this.#withinSpend(tenant, load);
    this.#withinRate(tenant, dialled);
    const atMs = this.options.clock.monotonic();
    this.#transfers.set(tenant.id, [...this.#transfersOf(tenant.id), atMs]);
    if (number) this.#burst.transferred(tenant.id, number, country);
  }

  /**
   * `load` is the load of the call's tenant. `admittedBefore`: calls admitted in the same batch and not live
   * yet.
   */
  inbound(tenant: CallTenant, load: CallLoad, admittedBefore = 0): void {
    this.#machineHasRoom();
    notSuspended(tenant);
    this.#withinSpend(tenant, load);
    this.#withinConcurrency(tenant, load, admittedBefore);
  }

  /** Why the tenant can place no call; null if it can. Ignores destination, plan and machine load. */
  async standstill(
    queries: Queries,
    tenant: CallTenant,
    trunk: CallTrunk | undefined,
  ): Promise<Standstill | null> {
    if (tenant.suspended) return "suspended";
    if (!trunk) return "no_trunk";
    const funds = ahead(this.options.billing.requireFunds(queries, tenant.id));
    const { spent } = await this.loadOf(queries, tenant);
    if (spent >= this.#spendMaxOf(tenant)) return "daily_spend";
    try {
      await funds;
      return null;
    } catch (error) {
      if (error instanceof AppError && error.code === "insufficient_balance") return error.code;
      throw error;
    }
  }

  /** Start of the time window of the daily spending cap. */
  spendingSince(): number {
    return this.options.clock.now() - DAY_MS;
  }

  loadOf(queries: Queries, { id }: Pick<CallTenant, "id">): Promise<CallLoad> {
    return this.options.stores.calls(queries).load(id, this.spendingSince());
  }

  #transfersOf(tenantId: number): readonly number[] {
    const since = this.options.clock.monotonic() - MINUTE_MS;
    const recent = (this.#transfers.get(tenantId) ?? []).filter((atMs) => atMs > since);
    if (recent.length === 0) this.#transfers.delete(tenantId);
    return recent;
  }

  #machineHasRoom(): void {
    const rejection = this.options.roomRejection?.() ?? null;
    if (rejection !== null)
      throw new AppError({ code: "unavailable", publicMessage: rejection, retryable: true });
  }

  #withinConcurrency(tenant: CallTenant, { live }: CallLoad, admittedBefore = 0): void {
    const { options } = this;
    if (options.liveCalls() + admittedBefore >= options.concurrentCallsMax)
      throw limitReached(
        "The appliance has reached its maximum number of calls. Try again in a minute.",
      );
    const plan = options.billing.planNamed(tenant.plan);
    if (live >= plan.maxConcurrentCalls)
      throw new PlanLinesBusy(plan.slug, plan.maxConcurrentCalls);
    const { heardCallsMax = Number.POSITIVE_INFINITY } = options;
    if (options.liveCalls() + admittedBefore >= heardCallsMax)
      throw new LinesBusy(
        `the embedded engine accepts ${heardCallsMax} concurrent calls. Try again in a few minutes. The operator can raise [engine.embedded] calls_max.`,
      );
    if (options.tooManyTalk?.())
      throw new LinesBusy(
        "more callers are speaking than the embedded engine can transcribe. Try again in a few minutes. More CPU cores or another engine allow more calls.",
      );
  }

  #spendMaxOf(tenant: CallTenant): MicroEur {
    return tenant.dailySpendMax ?? this.options.dialing().dailySpendMax;
  }

  #withinSpend(tenant: CallTenant, { spent }: CallLoad): void {
    if (spent >= this.#spendMaxOf(tenant))
      throw limitReached(
        "The daily spending cap is reached. Ask the operator to raise it.",
        "daily_spend",
      );
  }

  /** Calls dialled in the last minute. "with waiting" also counts immediate requests that will be dialled soon. */
  async #dialledOf(
    queries: Queries,
    tenantId: number,
    waiting: "with waiting" | "dialled only",
  ): Promise<number> {
    const { stores, clock } = this.options;
    const schedules = stores.schedules(queries);
    const nowMs = clock.now();
    const since = nowMs - MINUTE_MS;
    const [dialled, next] = await Promise.all([
      // Other nodes' clocks may be up to a minute ahead. Later times predate a correction of a clock.
      schedules.firedBetween(tenantId, since, nowMs + MINUTE_MS),
      waiting === "with waiting" ? schedules.immediateSince(tenantId, since) : 0,
    ]);
    return dialled + next;
  }

  #withinRate(tenant: CallTenant, dialled: number): void {
    if (dialled + this.#transfersOf(tenant.id).length < tenant.callsPerMinuteMax) return;
    throw new AppError({
      code: "rate_limited",
      publicMessage: `You can place at most ${tenant.callsPerMinuteMax} calls per minute. Try again in a minute.`,
      retryable: true,
      retryAfterSeconds: MINUTE_MS / 1000,
    });
  }
}

/**
 * Only for calls that we originate: the carrier never sends more calls than it can carry. Transfers are not
 * checked either. If no channel is free, the carrier rejects the transfer and the caller returns to the agent.
 */
function withinChannels(trunk: CallTrunk | undefined, { live }: CallLoad): void {
  if (trunk?.channels == null || live < trunk.channels) return;
  throw limitReached(
    `All ${trunk.channels} channels of the trunk are in use. Wait until a call ends, or raise the trunk's channels.`,
  );
}

const callerIdOf = (trunk: CallTrunk | undefined): E164 | null =>
  trunk && isE164(trunk.callerId) ? trunk.callerId : null;

function notSuspended({ suspended }: CallTenant): void {
  if (suspended)
    throw new AppError({
      code: "plan_limit_reached",
      reason: "suspended",
      publicMessage: "This account is suspended. Ask the operator to resume it.",
    });
}
