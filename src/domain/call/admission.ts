/**
 * May this tenant make or take a call now? Checked when a call is asked for, again when it fires, and
 * when it is handed to a person (decisions.md 9, 12): suspension, destination, calls dialled a minute, money a day,
 * concurrent calls of the plan, of the appliance and, for calls of ours, of the trunk, funds.
 */

import type { Clock } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import { type E164, isE164 } from "../../core/e164.ts";
import { AppError } from "../../core/errors.ts";
import type { MicroEur } from "../../core/money.ts";
import type { Billing } from "../billing/billing.ts";
import { type BurstLimits, type BurstOptions, createDialingBurst } from "./dialing-burst.ts";
import { checkDestination, checkTransferTarget, type DialingRules } from "./dialing-rules.ts";
import type { CallStores, CallTenant, CallTrunk } from "./stores.ts";

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
  readonly dialing: () => DialingLimits;
  /** With each call that a burst stopped. Default: nobody is told. */
  readonly onBurstStop?: BurstOptions["onStop"];
  /** Calls with media now, over all tenants. */
  readonly liveCalls: () => number;
  /** Why storage can take no new call; null: it can. Default: it always can. */
  readonly storageRejection?: () => string | null;
}

export type Admission = ReturnType<typeof createAdmission>;

const limitReached = (publicMessage: string) =>
  new AppError({ code: "plan_limit_reached", publicMessage, retryable: true });

export function rulesOf(tenant: CallTenant, trunk: CallTrunk | undefined): DialingRules {
  return {
    allowedPrefixes: tenant.allowedPrefixes?.split(",").filter(Boolean) ?? [],
    shortNumbers: tenant.shortNumbers?.split(",").filter(Boolean) ?? [],
    callerId: trunk?.callerId ?? null,
  };
}

export function createAdmission(options: AdmissionOptions) {
  const { billing, clock } = options;
  /** When each tenant's transfers of the last minute began: each of them dials. */
  const transfers = new Map<number, readonly number[]>();

  function transfersOf(tenantId: number): readonly number[] {
    const since = clock.monotonic() - MINUTE_MS;
    const recent = (transfers.get(tenantId) ?? []).filter((atMs) => atMs > since);
    if (recent.length === 0) transfers.delete(tenantId);
    return recent;
  }

  function storageHasRoom(): void {
    const rejection = options.storageRejection?.() ?? null;
    if (rejection !== null)
      throw new AppError({ code: "unavailable", publicMessage: rejection, retryable: true });
  }

  function notSuspended(tenant: CallTenant): void {
    if (tenant.suspended)
      throw new AppError({
        code: "plan_limit_reached",
        publicMessage: "This account is suspended. Ask the operator to resume it.",
      });
  }

  async function withinConcurrency(queries: Queries, tenant: CallTenant): Promise<void> {
    if (options.liveCalls() >= options.concurrentCallsMax)
      throw limitReached("The appliance carries as many calls as it may. Try again in a minute.");
    const plan = await billing.planOf(queries, tenant.id);
    if ((await options.stores.calls(queries).liveCount(tenant.id)) >= plan.maxConcurrentCalls)
      throw limitReached(
        `Plan ${plan.slug} allows ${plan.maxConcurrentCalls} calls at once. Wait until one ends, or change the plan.`,
      );
  }

  /**
   * The carrier sends us no more than it carries: only calls that we begin are held back. A person whom a
   * caller is handed to is not: where the carrier has no line left it says so, and the caller comes back.
   */
  async function withinChannels(queries: Queries, trunk: CallTrunk | undefined): Promise<void> {
    if (trunk?.channels == null) return;
    if ((await options.stores.calls(queries).liveCount(trunk.tenantId)) >= trunk.channels)
      throw limitReached(
        `The trunk carries ${trunk.channels} calls at once, and all are taken. Wait until one ends, or raise the trunk's channels.`,
      );
  }

  async function withinSpend(queries: Queries, tenant: CallTenant): Promise<void> {
    const spendMax = tenant.dailySpendMax ?? options.dialing().dailySpendMax;
    const spent = await options.stores.calls(queries).spentSince(tenant.id, clock.now() - DAY_MS);
    if (spent >= spendMax)
      throw limitReached("The daily spending cap is reached. Ask the operator to raise it.");
  }

  const burst = createDialingBurst({
    ...{
      stores: options.stores,
      clock,
      limits: () => options.dialing().burst,
      onStop: options.onBurstStop,
    },
  });

  /** Answers the country where it is abroad. */
  function withinBurst(
    queries: Queries,
    tenant: CallTenant,
    trunk: CallTrunk | undefined,
    to: E164,
  ): Promise<string | null> {
    const callerId = trunk && isE164(trunk.callerId) ? trunk.callerId : null;
    return burst.check(queries, tenant.id, to, callerId);
  }

  /** `waiting`: also those that were asked for at once and are about to be dialled. */
  async function withinRate(
    queries: Queries,
    tenant: CallTenant,
    waiting: "with waiting" | "dialled only",
  ): Promise<void> {
    const schedules = options.stores.schedules(queries);
    const since = clock.now() - MINUTE_MS;
    const dialled = await schedules.firedSince(tenant.id, since);
    const next = waiting === "with waiting" ? await schedules.immediateSince(tenant.id, since) : 0;
    if (dialled + next + transfersOf(tenant.id).length < tenant.callsPerMinuteMax) return;
    throw new AppError({
      code: "rate_limited",
      publicMessage: `At most ${tenant.callsPerMinuteMax} calls a minute may be placed. Try again in a minute.`,
      retryable: true,
      retryAfterSeconds: MINUTE_MS / 1000,
    });
  }

  return {
    /** As they are now. */
    dialing: options.dialing,

    /** Asking for an outbound call, now or later. */
    async request(
      queries: Queries,
      tenant: CallTenant,
      trunk: CallTrunk | undefined,
      to: E164,
      immediate: boolean,
    ): Promise<void> {
      storageHasRoom();
      notSuspended(tenant);
      checkDestination(to, rulesOf(tenant, trunk));
      await withinSpend(queries, tenant);
      await billing.requireFunds(queries, tenant.id);
      if (!immediate) return;
      await withinBurst(queries, tenant, trunk, to);
      await withinRate(queries, tenant, "with waiting");
      await withinConcurrency(queries, tenant);
      await withinChannels(queries, trunk);
    },

    /**
     * The moment before the INVITE. The hold of funds is the caller's next step. Answers the country that is
     * dialled where it is not the caller id's own.
     */
    async fire(
      queries: Queries,
      tenant: CallTenant,
      trunk: CallTrunk | undefined,
      to: E164,
    ): Promise<string | null> {
      storageHasRoom();
      notSuspended(tenant);
      checkDestination(to, rulesOf(tenant, trunk));
      const toCountry = await withinBurst(queries, tenant, trunk, to);
      await withinRate(queries, tenant, "dialled only");
      await withinSpend(queries, tenant);
      await withinConcurrency(queries, tenant);
      await withinChannels(queries, trunk);
      return toCountry;
    },

    /**
     * A live call is to be handed to a person: the carrier dials, or we do. It keeps the call's own place
     * among the concurrent ones. Counted as a call of this minute when it is allowed.
     */
    async transfer(
      queries: Queries,
      tenant: CallTenant,
      trunk: CallTrunk | undefined,
      to: string,
    ): Promise<void> {
      notSuspended(tenant);
      const number = checkTransferTarget(to, rulesOf(tenant, trunk));
      const country = number && (await withinBurst(queries, tenant, trunk, number));
      await withinSpend(queries, tenant);
      await withinRate(queries, tenant, "with waiting");
      transfers.set(tenant.id, [...transfersOf(tenant.id), clock.monotonic()]);
      if (number) burst.transferred(tenant.id, number, country);
    },

    async inbound(queries: Queries, tenant: CallTenant): Promise<void> {
      storageHasRoom();
      notSuspended(tenant);
      await withinSpend(queries, tenant);
      await withinConcurrency(queries, tenant);
    },
  };
}
