/**
 * Sets up inbound calls: finds the called number, then admission, hold and the stored call in one transaction.
 * Calls that wait for the writer at the same time share a transaction. On a database server the last of them
 * rings as soon as the first.
 *
 * Each call is decided in the order of arrival, as in a separate transaction. Each decision counts for the next
 * call.
 */

import { join } from "node:path";
import type { CallConfig } from "../../conversation/call-config.ts";
import type { Clock } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import type { EndedReason } from "../../core/ended-reason.ts";
import { AppError } from "../../core/errors.ts";
import { uuidV7 } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import { conversationRateHz } from "../../core/media-plan.ts";
import { microEur } from "../../core/money.ts";
import type { Random } from "../../core/random.ts";
import { type AgentOfCall, agentOfCall } from "../../features/agent/agent-split.ts";
import type { Billing } from "../../features/billing/billing.ts";
import type { AccountStatus } from "../../features/billing/stores.ts";
import type { Callers } from "../../features/contact/caller-identification.ts";
import type { KnowledgeIndex } from "../../features/knowledge/knowledge-index.ts";
import { networkNumber } from "../../features/number/national-form.ts";
import { callStarted } from "../../features/webhook/catalogue.ts";
import type { EventSink } from "../../features/webhook/ports.ts";
import { type Admission, LinesBusy, PlanLinesBusy } from "../admission/admission.ts";
import { buildCallConfig } from "../call-config.ts";
import type { CallIdentity } from "../call-identity.ts";
import type { CallSettings } from "../call-settings.ts";
import type { IncomingLeg, TrunkSettings } from "../sip-port.ts";
import type { CallLoad, CallNumber, CallSetupRecords, CallStorage, CallTenant } from "../stores.ts";
import { calledNumber } from "./called-number.ts";

export interface SetUpPorts extends CallStorage {
  readonly settings: Pick<
    CallSettings,
    "recordingsDir" | "rtpHost" | "voiceAliases" | "callerTagKey" | "knowledgeTokens"
  >;
  readonly billing: Pick<Billing, "planNamed" | "hold">;
  readonly admission: Pick<Admission, "inbound" | "spendingSince">;
  readonly callers: Pick<Callers, "contextOf">;
  readonly events: EventSink;
  readonly knowledgeIndex?: KnowledgeIndex;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Id of this process among those that share the store. Stays the same over restarts. */
  readonly node: string;
  /** False while the disk is nearly full. Calls continue without a recording. */
  readonly mayRecord: () => boolean;
}

const TEMPORARILY_UNAVAILABLE = 480;
const SERVICE_UNAVAILABLE = 503;
export const BUSY_HERE = 486;
/** Maximum calls per transaction. */
const TOGETHER_MAX = 16;

/** Thrown if a call is declined, with the reason. */
export class Declined extends Error {
  /** The destination, as far as known. */
  route: Route | null = null;

  constructor(
    readonly reason: EndedReason,
    readonly explanation: string,
    readonly sipCode = TEMPORARILY_UNAVAILABLE,
  ) {
    super(explanation);
  }
}

export interface Route {
  readonly tenant: CallTenant;
  readonly number: CallNumber | undefined;
  readonly agent: AgentOfCall | undefined;
  /** Number in the format in which networks show it (number/national-form.ts); empty if none was sent. */
  readonly toNumber: string;
  /** Same format; empty if withheld or not a number. */
  readonly fromNumber: string;
  /** True if the number is only claimed, and this call confirms it. */
  readonly confirms: boolean;
}

/** State that decides the tenant's next call. */
interface TenantStatus {
  readonly load: CallLoad;
  readonly accountStatus: AccountStatus;
}

/** Only the trunk's own tenant is searched: no call reaches a number through another tenant's trunk. */
async function findRoute(
  { settings, random, admission }: Pick<SetUpPorts, "settings" | "random" | "admission">,
  setup: CallSetupRecords,
  { leg, trunk }: Pick<Arrival, "leg" | "trunk">,
): Promise<Route & TenantStatus> {
  const called = await calledNumber(setup, leg, trunk, admission.spendingSince());
  if (!called) throw new Error(`trunk ${trunk.trunkId} has no tenant`);
  const { tenant, number, shown, country, confirms, load, accountStatus } = called;
  const caller = leg.callerNumber;
  const fromNumber = (caller && networkNumber(caller, country)) || "";
  const sharing = { key: settings.callerTagKey, number: fromNumber, random };
  return {
    tenant,
    number,
    toNumber: shown,
    fromNumber,
    confirms,
    load,
    accountStatus,
    agent: number?.agent ? agentOfCall(number.agent, number.split, sharing) : undefined,
  };
}

function requireAgent(route: Route): AgentOfCall {
  if (!route.number)
    throw new Declined(
      "declined",
      `The phone number ${route.toNumber} is not set up; add it under phone numbers.`,
    );
  if (!route.number.inboundEnabled)
    throw new Declined("declined", "Inbound calls are switched off for this number.");
  if (!route.agent)
    throw new Declined("declined", "The number has no agent; assign one under phone numbers.");
  return route.agent;
}

/** A call without an agent is declined, so nobody speaks. */
const NO_AGENT = { language: "en", maxDurationSeconds: 0 } as const;

const partiesOf = ({ fromNumber, toNumber, agent }: Route, callUuid: string) => ({
  callUuid,
  direction: "inbound" as const,
  fromNumber,
  toNumber,
  agentId: agent?.id ?? null,
  ...(agent?.version ? { agentVersion: agent.version } : {}),
});

/** Stores a new call with its event. */
export async function storeCall(
  context: Pick<SetUpPorts, "stores" | "clock" | "billing" | "node" | "events">,
  queries: Queries,
  route: Route,
  leg: Pick<IncomingLeg, "sipCallId">,
  callUuid: string,
): Promise<CallIdentity> {
  const { clock, billing, events } = context;
  const nowMs = clock.now();
  const plan = billing.planNamed(route.tenant.plan);
  const parties = partiesOf(route, callUuid);
  const inserting = context.stores.calls(queries).insert(route.tenant.id, {
    ...parties,
    status: "ringing",
    language: route.agent?.language ?? null,
    createdAt: nowMs,
    ringingAt: nowMs,
    heartbeatAt: nowMs,
    node: context.node,
    recordingStatus: "none",
    overageRate: plan.overagePerMinute,
    cost: microEur(0),
    sipCallId: leg.sipCallId,
  });
  const emitting = events.emit(queries, route.tenant.id, callStarted(parties, "ringing"));
  const [rowId] = await Promise.all([inserting, emitting]);
  return identityOf(context, route, callUuid, rowId);
}

function identityOf(
  { billing }: Pick<SetUpPorts, "billing">,
  route: Route,
  callUuid: string,
  rowId: number,
): CallIdentity {
  const { language, maxDurationSeconds } = route.agent ?? NO_AGENT;
  return {
    ...partiesOf(route, callUuid),
    tenantId: route.tenant.id,
    rowId,
    language,
    maxDurationSeconds,
    overageRate: billing.planNamed(route.tenant.plan).overagePerMinute,
  };
}

/** The stored call, if the connection broke before the result of storing it arrived. */
async function storedCall(
  context: Pick<SetUpPorts, "stores" | "billing" | "database">,
  route: Route,
  callUuid: string,
): Promise<CallIdentity> {
  const { stores, database } = context;
  const stored = await stores.calls(database.read).find(route.tenant.id, callUuid);
  if (!stored) throw new Error("the call was stored, and is not there");
  return identityOf(context, route, callUuid, stored.id);
}

function asDeclined(error: unknown): Declined | null {
  if (error instanceof Declined) return error;
  if (error instanceof LinesBusy) return new Declined("busy", error.publicMessage, BUSY_HERE);
  if (error instanceof PlanLinesBusy)
    return new Declined("plan_limit_reached", error.publicMessage, BUSY_HERE);
  if (!(error instanceof AppError)) return null;
  const reason = error.code === "insufficient_balance" ? "balance_exhausted" : "declined";
  const sipCode = error.code === "unavailable" ? SERVICE_UNAVAILABLE : TEMPORARILY_UNAVAILABLE;
  return new Declined(reason, error.publicMessage, sipCode);
}

/** Builds the worker's configuration. Reads outside the transaction that stores the call. */
function configOf(
  context: SetUpPorts,
  leg: IncomingLeg,
  { tenant, fromNumber, toNumber }: Route,
  agent: AgentOfCall,
  callUuid: string,
): Promise<CallConfig> {
  const { database, settings } = context;
  const remoteParty = { direction: "inbound", number: fromNumber, callUuid } as const;
  return buildCallConfig(
    {
      setup: context.stores.setup(database.read),
      knowledgeIndex: context.knowledgeIndex,
      log: context.log,
    },
    tenant,
    agent,
    {
      callerContext: context.callers.contextOf(database.read, tenant, agent, remoteParty),
      callId: callUuid,
      direction: "inbound",
      fromNumber,
      toNumber,
      rtpHost: settings.rtpHost,
      sampleRateHz: conversationRateHz(leg.offeredCodec ?? null),
      recordingPath: context.mayRecord() ? join(settings.recordingsDir, `${callUuid}.wav`) : null,
      voiceAliases: settings.voiceAliases,
      callerTagKey: settings.callerTagKey,
      knowledgeTokens: settings.knowledgeTokens,
    },
  );
}

interface TakenCall {
  readonly route: Route;
  readonly identity: CallIdentity;
  readonly config: Promise<CallConfig>;
}

interface Arrival {
  readonly leg: IncomingLeg;
  readonly trunk: TrunkSettings;
  readonly callUuid: string;
  readonly outcome: PromiseWithResolvers<TakenCall>;
}

/** An admitted call, with its money held. */
interface Admitted extends Omit<TakenCall, "identity"> {
  readonly arrival: Arrival;
}

/** Throws Declined if the call is rejected. */
async function admit(
  context: SetUpPorts,
  queries: Queries,
  { leg, callUuid }: Arrival,
  route: Route,
  { load, accountStatus }: TenantStatus,
  admittedBefore: number,
): Promise<Pick<Admitted, "config"> & TenantStatus> {
  try {
    const agent = requireAgent(route);
    context.admission.inbound(route.tenant, load, admittedBefore);
    const held = await context.billing.hold(queries, route.tenant.id, callUuid, accountStatus);
    const config = configOf(context, leg, route, agent, callUuid);
    config.catch(() => undefined);
    return { config, load: { ...load, live: load.live + 1 }, accountStatus: held };
  } catch (error) {
    const declined = asDeclined(error);
    if (!declined) throw error;
    declined.route = route;
    throw declined;
  }
}

/** Admits one call after the other. `later` collects the rejections to deliver after the transaction. */
async function admitInTurn(
  context: SetUpPorts,
  queries: Queries,
  arrivals: readonly Arrival[],
  later: (tell: () => void) => void,
): Promise<Admitted[]> {
  const setup = context.stores.setup(queries);
  const routes = await Promise.all(arrivals.map((each) => findRoute(context, setup, each)));
  const tenants = new Map<number, TenantStatus>();
  const admitted: Admitted[] = [];
  for (const [at, arrival] of arrivals.entries()) {
    const route = routes[at];
    if (!route) continue;
    const now = tenants.get(route.tenant.id) ?? route;
    try {
      const next = await admit(context, queries, arrival, route, now, admitted.length);
      tenants.set(route.tenant.id, next);
      admitted.push({ arrival, route, config: next.config });
    } catch (error) {
      if (!(error instanceof Declined)) throw error;
      later(() => arrival.outcome.reject(error));
    }
  }
  return admitted;
}

/** Takes two round trips. Returns the callbacks that deliver the results after the commit. */
async function setUpTogether(
  context: SetUpPorts,
  queries: Queries,
  arrivals: readonly Arrival[],
): Promise<(() => void)[]> {
  const tell: (() => void)[] = [];
  const admitted = await admitInTurn(context, queries, arrivals, (each) => tell.push(each));
  if (admitted.length === 0) return tell;
  const identities = await context.database.finish(
    queries,
    () =>
      Promise.all(
        admitted.map(({ arrival: { leg, callUuid }, route }) =>
          storeCall(context, queries, route, leg, callUuid),
        ),
      ),
    () =>
      Promise.all(admitted.map((each) => storedCall(context, each.route, each.arrival.callUuid))),
  );
  for (const [at, { arrival, route, config }] of admitted.entries()) {
    const identity = identities[at];
    if (identity) tell.push(() => arrival.outcome.resolve({ route, config, identity }));
  }
  return tell;
}

/** True for an error of a statement: nothing of its transaction is stored. */
const isStatementError = (error: unknown): boolean =>
  error instanceof Error &&
  (("code" in error && String(error.code).startsWith("SQL")) || isStatementError(error.cause));

export class InboundSetUp {
  readonly #waiting: Arrival[] = [];

  constructor(private readonly context: SetUpPorts) {}

  /**
   * Finds the called number, admits the call, holds its money and stores it. Throws Declined if it is rejected.
   */
  take(leg: IncomingLeg, trunk: TrunkSettings): Promise<TakenCall> {
    const callUuid = uuidV7(this.context.clock, this.context.random);
    const arrival: Arrival = { leg, trunk, callUuid, outcome: Promise.withResolvers() };
    this.#waiting.push(arrival);
    if (this.#waiting.length === 1) void this.#setUpWaiting();
    return arrival.outcome.promise;
  }

  /** Sets up the waiting calls when the transaction starts. Never rejects: each arrival gets its outcome. */
  async #setUpWaiting(alone?: Arrival): Promise<void> {
    const { context } = this;
    let taken: readonly Arrival[] | null = alone ? [alone] : null;
    try {
      const tell = await context.database.tx((queries) => {
        taken ??= this.#takeWaiting();
        return setUpTogether(context, queries, taken);
      }, "urgent");
      for (const each of tell) each();
    } catch (error) {
      taken ??= this.#takeWaiting();
      // Retry each call alone, so that one bad call does not fail the others.
      if (taken.length > 1 && isStatementError(error))
        for (const each of taken) void this.#setUpWaiting(each);
      else for (const { outcome } of taken) outcome.reject(error);
    }
  }

  #takeWaiting(): readonly Arrival[] {
    const taken = this.#waiting.splice(0, TOGETHER_MAX);
    if (this.#waiting.length > 0) void this.#setUpWaiting();
    return taken;
  }
}
