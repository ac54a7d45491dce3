/**
 * Identifies the other party of a call by the tenant's contacts, and builds the context for the agent
 * (decisions 11). Each part requires its feature to be on. A withheld number, or a number of several contacts,
 * identifies nobody.
 */

import type { CallContextItem } from "../../conversation/call-context-item.ts";
import type { Clock } from "../../core/clock.ts";
import { ahead, type Database, type Queries } from "../../core/database.ts";
import { AppError } from "../../core/errors.ts";
import { oneLine } from "../../core/one-line.ts";
import type { AgentLanguage } from "../agent/agent.ts";
import {
  type Memory,
  memoryDetails,
  memoryKnowledge,
  memoryLine,
  outcomeInWords,
} from "./call-history-summary.ts";
import { type CallingHours, mayCallNow } from "./calling-hours.ts";
import { type ContactRecord, type ContactRecords, fullName } from "./contacts.ts";
import type { CrmLookup } from "./crm/lookup.ts";
import type { DoNotCallList } from "./do-not-call.ts";
import { addressOf, greetingFor } from "./greeting.ts";
import type { CallerContext, CallerTenant, EndedCall, PinCheck, RemoteParty } from "./ports.ts";

/** A call within this time counts as a reply to the earlier call. */
const MEMORY_MS = 14 * 86_400_000;
const MEMORIES_MAX = 3;
const SHARED_MAX = 5;
const TEXT_MAX = 500;
/** Error code of a call outside its hours or after the end of its campaign. */
const NOT_NOW = "conflict";

interface NewMemory extends Memory {
  readonly numberE164: string;
  readonly callUuid: string;
}

/** Implemented by store/contact/caller-store.ts. */
export interface CallerRecords {
  /** Newest first. */
  memories(tenantId: number, numberE164: string, sinceMs: number, limit: number): Promise<Memory[]>;
  putMemory(tenantId: number, memory: NewMemory): Promise<void>;
  purpose(
    tenantId: number,
    callUuid: string,
  ): Promise<
    | {
        readonly reason: string;
        readonly sensitive: boolean;
        readonly origin: "api" | "birthday" | "campaign";
      }
    | undefined
  >;
  /** Calling hours of a campaign or birthday call, in the tenant's zone; null for other calls. */
  callingHours(
    tenantId: number,
    callUuid: string,
  ): Promise<{
    readonly timeZone: string;
    readonly hours: CallingHours;
    /** True if its campaign was paused, cancelled or stopped. */
    readonly isHalted: boolean;
  } | null>;
  /** Variables of a campaign's target. */
  variables(tenantId: number, callUuid: string): Promise<Readonly<Record<string, string>>>;
}

interface CallersDependencies {
  readonly database: Database;
  readonly contacts: (queries: Queries) => ContactRecords;
  readonly records: (queries: Queries) => CallerRecords;
  readonly crm: CrmLookup | null;
  readonly pins: PinCheck;
  readonly doNotCallList: DoNotCallList;
  /** Listeners for the end of calls: CRM messages, birthday calls, campaigns. */
  readonly listeners: readonly EndListener[];
  readonly clock: Clock;
}

export interface EndListener {
  /** Called in the transaction that ends the call. */
  ended(queries: Queries, call: EndedCall): Promise<void>;
  /** Called after that transaction. */
  wake(): void;
}

const notToBeCalled = (why: string) =>
  new AppError({
    code: "destination_not_allowed",
    publicMessage: `This person ${why}.`,
    field: "to_number",
  });

/** The call waited until its hours were over. */
const tooLate = () =>
  new AppError({
    code: NOT_NOW,
    publicMessage: "The calling hours of this call are over.",
  });

/** The campaign stopped while the call waited for a line or the trunk. */
const halted = () =>
  new AppError({
    code: NOT_NOW,
    publicMessage: "The campaign was paused, cancelled or stopped before the call was placed.",
  });

const UNKNOWN_CALLER: CallerContext = {
  level: 0,
  facts: [],
  data: [],
  namedGreeting: null,
  knowledge: null,
  variables: {},
  occasion: null,
  canOptOut: false,
};

/** An unrecognised caller hears only about the last call, and never about a sensitive one. */
const tellable = (memories: readonly Memory[], isRecognised: boolean): readonly Memory[] =>
  isRecognised ? memories : memories.slice(0, 1).filter(({ sensitive }) => !sensitive);

export class Callers {
  constructor(private readonly deps: CallersDependencies) {}

  get pins(): PinCheck {
    return this.deps.pins;
  }

  /** Call it in the transaction that sets up a call. */
  async contextOf(
    queries: Queries,
    tenant: CallerTenant,
    agent: { readonly language: AgentLanguage; readonly firstMessage: string },
    remoteParty: RemoteParty,
  ): Promise<CallerContext> {
    const { number, direction, callUuid } = remoteParty;
    if (number === "") return UNKNOWN_CALLER;
    const { contacts, records, clock } = this.deps;
    const purpose = ahead(this.#purposeOf(queries, tenant, remoteParty));
    const variables = ahead(
      direction === "outbound"
        ? records(queries).variables(tenant.id, callUuid)
        : Promise.resolve({}),
    );
    const earlier = ahead(this.#memoriesOf(queries, tenant, remoteParty));
    const isAsked = tenant.cliIdentity || tenant.namedGreeting;
    const known = isAsked ? await contacts(queries).byNumber(tenant.id, number, SHARED_MAX) : [];
    const [only] = known.length === 1 ? known : [];
    const level = tenant.cliIdentity && only ? 1 : 0;
    const memories = tellable(await earlier, level === 1);
    const [latest] = memories;
    const nowMs = clock.now();
    const describe = level === 1 ? memoryDetails : memoryLine;
    const isNamed = tenant.namedGreeting && only !== undefined && fullName(only) !== "";
    return {
      level,
      facts: [
        ...identityFacts(tenant, known, level === 1),
        ...levelFacts(tenant, level, only?.pinHash != null),
      ],
      data: [
        ...identityData(tenant, known, level === 1),
        ...memories.map((memory) => ({
          label: "earlier_call",
          text: describe(memory, tenant.timeZone, nowMs),
        })),
      ],
      ...(await purpose),
      namedGreeting:
        isNamed && only
          ? greetingFor(agent.firstMessage, addressOf(only, agent.language), agent.language)
          : null,
      variables: await variables,
      knowledge: latest
        ? {
            filename: "earlier-calls.md",
            format: "md",
            content: memoryKnowledge(latest, agent.language, tenant.timeZone, nowMs),
          }
        : null,
    };
  }

  /** Queries the tenant's CRM for the number while it rings. Takes at most 1.5 s; never throws. */
  async lookUp(
    tenant: CallerTenant,
    remoteParty: RemoteParty,
  ): Promise<readonly CallContextItem[]> {
    if (!tenant.crmBridge || remoteParty.number === "") return [];
    return (await this.deps.crm?.facts(tenant.id, remoteParty)) ?? [];
  }

  /**
   * Checks again before the INVITE. For a birthday or campaign call it throws destination_not_allowed if the
   * person opted out or withdrew consent. It throws NOT_NOW if the calling hours are over or the campaign has
   * stopped.
   */
  async mayDial(
    queries: Queries,
    call: { readonly tenantId: number; readonly callUuid: string; readonly toNumber: string },
  ): Promise<void> {
    const { contacts, records, doNotCallList } = this.deps;
    const { tenantId, callUuid, toNumber } = call;
    const purpose = await records(queries).purpose(tenantId, callUuid);
    if (!purpose || purpose.origin === "api") return;
    const known = await contacts(queries).byNumber(tenantId, toNumber, SHARED_MAX);
    const isDoNotCall =
      known.some(({ doNotCall }) => doNotCall) ||
      (await doNotCallList.has(queries, tenantId, toNumber));
    if (isDoNotCall) throw notToBeCalled("asked not to be called");
    if (purpose.origin === "birthday" && !known.some(({ consent }) => consent))
      throw notToBeCalled("has not agreed to such calls");
    const open = await records(queries).callingHours(tenantId, callUuid);
    if (open?.isHalted) throw halted();
    if (open && !mayCallNow(open.timeZone, this.deps.clock.now(), open.hours)) throw tooLate();
  }

  /**
   * The called person opted out, by the offered key or in confirmed words. Returns true if this blocks further
   * calls: only in a birthday or campaign call.
   */
  async handleOptOut(call: {
    readonly tenantId: number;
    readonly callUuid: string;
    readonly number: string;
  }): Promise<boolean> {
    const { database, contacts, records, doNotCallList, clock } = this.deps;
    const { tenantId, callUuid, number } = call;
    if (number === "") return false;
    const purpose = await records(database.read).purpose(tenantId, callUuid);
    if (!purpose || purpose.origin === "api") return false;
    await database.tx(async (queries) => {
      const nowMs = clock.now();
      if ((await contacts(queries).setDoNotCall(tenantId, number, nowMs)) > 0)
        await doNotCallList.note(queries, tenantId, [number]);
      else await doNotCallList.add(queries, tenantId, number, nowMs);
    });
    return true;
  }

  /**
   * Runs in the transaction that ends a call: stores the memory, the CRM message, birthday and campaign
   * results.
   */
  async ended(queries: Queries, call: EndedCall): Promise<void> {
    await this.#remember(queries, call);
    for (const listener of this.deps.listeners) await listener.ended(queries, call);
  }

  /** Called after that transaction: starts sending the stored messages. */
  wake(): void {
    for (const listener of this.deps.listeners) listener.wake();
  }

  async #purposeOf(
    queries: Queries,
    tenant: CallerTenant,
    { direction, callUuid }: RemoteParty,
  ): Promise<Pick<CallerContext, "occasion" | "canOptOut">> {
    if (direction === "inbound") return { occasion: null, canOptOut: false };
    const purpose = await this.deps.records(queries).purpose(tenant.id, callUuid);
    const origin = purpose?.origin ?? "api";
    return { occasion: origin === "birthday" ? origin : null, canOptOut: origin !== "api" };
  }

  /** Newest first. */
  async #memoriesOf(
    queries: Queries,
    tenant: CallerTenant,
    { direction, number }: RemoteParty,
  ): Promise<Memory[]> {
    if (!tenant.callbackMemory || direction !== "inbound") return [];
    const { records, clock } = this.deps;
    const since = clock.now() - MEMORY_MS;
    return await records(queries).memories(tenant.id, number, since, MEMORIES_MAX);
  }

  async #remember(queries: Queries, call: EndedCall): Promise<void> {
    if (call.direction !== "outbound" || call.number === "" || !call.tenant.callbackMemory) return;
    const store = this.deps.records(queries);
    const purpose = await store.purpose(call.tenantId, call.callUuid);
    const { endedReason, answeredMs, line } = call;
    await store.putMemory(call.tenantId, {
      numberE164: call.number,
      callUuid: call.callUuid,
      reason: oneLine(purpose?.reason ?? "", TEXT_MAX),
      outcome: oneLine(outcomeInWords(endedReason, answeredMs > 0, line), TEXT_MAX),
      promise: "",
      sensitive: purpose?.sensitive ?? false,
      attemptedAt: this.deps.clock.now(),
    });
  }
}

function levelFacts(tenant: CallerTenant, level: 0 | 1, hasPin: boolean): string[] {
  if (!tenant.cliIdentity) return [];
  const facts = [`caller.verified = ${level === 1}, caller.level = ${level} of 2.`];
  if (level === 1 && hasPin)
    facts.push("A tool that needs level 2 asks for the PIN itself: never ask for it.");
  return facts;
}

function identityFacts(
  tenant: CallerTenant,
  known: readonly ContactRecord[],
  isRecognised: boolean,
): string[] {
  if (known.length === 0 || !(tenant.cliIdentity || tenant.namedGreeting)) return [];
  const names = known.map(fullName).filter(Boolean);
  if (known.length > 1)
    return ["The number belongs to several contacts (contact_name below): ask who is speaking."];
  if (names.length === 0) return [];
  return [
    isRecognised
      ? "The number is that of the contact contact_name below: treat the caller as this person, recognised by number (caller.verified = true)."
      : "The number is that of the contact contact_name below, who is not verified: reveal nothing private.",
  ];
}

function identityData(
  tenant: CallerTenant,
  known: readonly ContactRecord[],
  isRecognised: boolean,
): CallContextItem[] {
  if (!(tenant.cliIdentity || tenant.namedGreeting)) return [];
  const names = known.map(fullName).filter(Boolean);
  const [only] = known;
  return [
    ...names.map((text) => ({ label: "contact_name", text })),
    ...(isRecognised && only && only.notes !== ""
      ? [{ label: "contact_notes", text: only.notes }]
      : []),
  ];
}
