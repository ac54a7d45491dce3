/**
 * May this tenant make or take a call now? Checked when a call is requested, again before it is
 * dialled, and when it is transferred to a person (decisions 9, 12): suspension, destination,
 * calls dialled a minute, money spent a day, funds, and concurrent calls of the plan, of the
 * appliance and, for outbound calls, of the trunk.
 */

import type { Clock } from "../../../core/clock.ts";
import { ahead, type Queries } from "../../../core/database.ts";
import { type E164, isE164 } from "../../../core/e164.ts";
import { AppError } from "../../../core/errors.ts";
import type { MessageReason } from "../../../core/message-reasons.ts";
import type { MicroEur } from "../../../core/money.ts";
import type { Billing } from "../../billing/billing.ts";
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

/** What keeps every tenant's dialling within bounds (`[limits]`). */
export interface DialingLimits {
  /** `daily_spend_eur`: of a tenant for whom the operator set no cap. */
  readonly dailySpendMax: MicroEur;
  readonly burst: BurstLimits;
}

interface AdmissionOptions {
  readonly stores: Pick<CallStores, "calls" | "schedules" | "dialled">;
  readonly billing: Billing;
  readonly clock: Clock;
  /** `[limits] concurrent_calls`, over all tenants. */
  readonly concurrentCallsMax: number;
  /** Calls at once that the embedded recogniser may hear, over all tenants. Default: no fixed number. */
  readonly heardCallsMax?: number;
  /** More callers talk than the embedded recogniser can follow. Default: never. */
  readonly tooManyTalk?: () => boolean;
  readonly dialing: () => DialingLimits;
  /** With each call that a burst stopped. Default: nobody is told. */
  readonly onBurstStop?: BurstOptions["onStop"];
  /** Calls with media now, over all tenants. */
  readonly liveCalls: () => number;
  /** Why the machine has no room for a new call; null: it has. Default: it always has. */
  readonly roomRejection?: () => string | null;
}

interface AskedRequest {
  readonly load: Promise<CallLoad>;
  readonly funds: Promise<void>;
  /** Null: the call is for later. */
  readonly now: { readonly burst: Promise<BurstCheck>; readonly dialled: Promise<number> } | null;
}

interface AskedFire {
  readonly burst: Promise<BurstCheck>;
  readonly dialled: Promise<number>;
  readonly load: Promise<CallLoad>;
}

const limitReached = (publicMessage: string, reason: MessageReason = "calls_at_once") =>
  new AppError({ code: "plan_limit_reached", publicMessage, reason, retryable: true });

/** All calls at once of the plan are taken. The next caller gets the busy tone. */
export class PlanLinesBusy extends AppError {
  constructor(slug: string, calls: number) {
    super({
      code: "plan_limit_reached",
      reason: "calls_at_once",
      publicMessage: `Plan ${slug} allows ${calls} calls at once. Wait until one ends, or change the plan.`,
      retryable: true,
    });
  }
}

/** The machine hears no further caller: whoever calls is told so in words. */
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

/** A check throws an AppError with the reason if the call may not be made. */
export class Admission {
  /** When each tenant's transfers of the last minute began: each of them dials. */
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

  /** The limits as they are now. */
  dialing(): DialingLimits {
    return this.options.dialing();
  }

  /** Asks what the check of a request looks at, so that it travels with the tenant. */
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

  /** Asks what `fire` looks at, so that it travels with the tenant. */
  askFire(queries: Queries, tenantId: number, to: E164): AskedFire {
    return {
      burst: ahead(this.#burst.ask(queries, tenantId, to)),
      dialled: ahead(this.#dialledOf(queries, tenantId, "dialled only")),
      load: ahead(this.loadOf(queries, { id: tenantId })),
    };
  }

  /**
   * Checks immediately before the INVITE; the caller holds funds next. Returns the number's country
   * if it is not the caller id's own.
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
   * Checks the transfer of a live call to a person, whom the carrier or the appliance dials. The
   * call keeps its place among the concurrent ones. An allowed transfer counts as a call of this
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
    // From here on nothing is awaited: a transfer that is checked meanwhile must count.
    const country = burst?.(callerIdOf(trunk)) ?? null;
    this.#withinSpend(tenant, load);
    this.#withinRate(tenant, dialled);
    const atMs = this.options.clock.monotonic();
    this.#transfers.set(tenant.id, [...this.#transfersOf(tenant.id), atMs]);
    if (number) this.#burst.transferred(tenant.id, number, country);
  }

  /** `load`: of its tenant. `admittedBefore`: calls that are admitted with it and are not live yet. */
  inbound(tenant: CallTenant, load: CallLoad, admittedBefore = 0): void {
    this.#machineHasRoom();
    notSuspended(tenant);
    this.#withinSpend(tenant, load);
    this.#withinConcurrency(tenant, load, admittedBefore);
  }

  /** Null: the tenant can place calls, as far as this does not depend on whom, on the plan or on the machine. */
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

  /** From when on what a tenant spent counts. */
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
      throw limitReached("The appliance carries as many calls as it may. Try again in a minute.");
    const plan = options.billing.planNamed(tenant.plan);
    if (live >= plan.maxConcurrentCalls)
      throw new PlanLinesBusy(plan.slug, plan.maxConcurrentCalls);
    const { heardCallsMax = Number.POSITIVE_INFINITY } = options;
    if (options.liveCalls() + admittedBefore >= heardCallsMax)
      throw new LinesBusy(
        `the embedded engine hears ${heardCallsMax} calls at once. Try again in a few minutes; the operator can raise [engine.embedded] calls_max.`,
      );
    if (options.tooManyTalk?.())
      throw new LinesBusy(
        "more callers talk than the embedded engine can follow. Try again in a few minutes; more cores or another engine hear more.",
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

  /** In the last minute. "with waiting" also counts immediate requests that are about to be dialled. */
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
      // Other nodes' clocks may be ahead. A later time is of a clock that was set back since.
      schedules.firedBetween(tenantId, since, nowMs + MINUTE_MS),
      waiting === "with waiting" ? schedules.immediateSince(tenantId, since) : 0,
    ]);
    return dialled + next;
  }

  #withinRate(tenant: CallTenant, dialled: number): void {
    if (dialled + this.#transfersOf(tenant.id).length < tenant.callsPerMinuteMax) return;
    throw new AppError({
      code: "rate_limited",
      publicMessage: `At most ${tenant.callsPerMinuteMax} calls a minute may be placed. Try again in a minute.`,
      retryable: true,
      retryAfterSeconds: MINUTE_MS / 1000,
    });
  }
}

/**
 * Only for calls that we begin: the carrier sends no more calls than it carries. A transfer is not
 * checked either: a carrier without a free line rejects it, and the caller returns to the agent.
 */
function withinChannels(trunk: CallTrunk | undefined, { live }: CallLoad): void {
  if (trunk?.channels == null || live < trunk.channels) return;
  throw limitReached(
    `The trunk carries ${trunk.channels} calls at once, and all are taken. Wait until one ends, or raise the trunk's channels.`,
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
