/** What calls need to know of people, and what people's records learn of calls. */

import type { Queries } from "../../core/database.ts";
import type { AgentLanguage } from "../agent/agent.ts";
import type { CallConfig } from "../conversation/call-config.ts";
import type { CallDatum } from "../conversation/call-datum.ts";

export interface CallerTenant {
  readonly id: number;
  readonly timeZone: string;
  readonly callbackMemory: boolean;
  readonly namedGreeting: boolean;
  readonly cliIdentity: boolean;
  readonly crmBridge: boolean;
}

export interface RemoteParty {
  readonly direction: "inbound" | "outbound";
  /** E.164; empty: withheld. */
  readonly number: string;
  readonly callUuid: string;
}

/** How sure it is who calls: 0 nobody known, 1 the number is one contact's, 2 and a PIN was keyed. */
export type CallerLevel = 0 | 1 | 2;

export interface CallerContext {
  readonly level: CallerLevel;
  /** Sentences of ours. */
  readonly facts: readonly string[];
  /** What contacts and earlier calls say. */
  readonly data: readonly CallDatum[];
  /** Why we call, where the agent must say it; null: nothing of the kind. */
  readonly occasion: "birthday" | null;
  /** The agent's first words with the name; null: nobody is known for sure. */
  readonly namedGreeting: string | null;
  /** For `{{…}}`: of a campaign's line. */
  readonly variables: Readonly<Record<string, string>>;
  /** The same as a file for engines that answer from knowledge; null: nothing to tell. */
  readonly knowledge: CallConfig["knowledge"][number] | null;
}

export interface EndedCall {
  readonly tenantId: number;
  readonly callUuid: string;
  readonly direction: "inbound" | "outbound";
  /** Of the other side; empty: withheld. */
  readonly number: string;
  readonly agentId: number | null;
  readonly status: string;
  readonly endedReason: string;
  readonly answeredMs: number;
  readonly summary: string;
  /** What it was about and how it went, without private details; empty: nobody knows. */
  readonly line: string;
  readonly transcript: string;
  readonly costEur: number;
}

export type PinResult = "right" | "wrong" | "locked" | "no_pin";

/** Implemented by contact/pin-check.ts. */
export interface PinCheck {
  /** False: the number has no PIN of one contact, or is locked out. */
  mayTry(call: { readonly tenantId: number; readonly number: string }): Promise<boolean>;
  /** One try: counted, checked, and in the audit log. */
  check(
    call: { readonly tenantId: number; readonly number: string; readonly callUuid: string },
    digits: string,
  ): Promise<PinResult>;
}

/** Implemented by contact/callers.ts. */
export interface Callers {
  readonly pins: PinCheck;
  /** In the transaction that sets a call up. */
  contextOf(
    queries: Queries,
    tenant: CallerTenant,
    agent: { readonly language: AgentLanguage; readonly firstMessage: string },
    remoteParty: RemoteParty,
  ): Promise<CallerContext>;
  /** While it rings: what the tenant's CRM says of the number. Within 1.5 s, never throws. */
  lookUp(tenant: CallerTenant, remoteParty: RemoteParty): Promise<readonly CallDatum[]>;
  /**
   * Once more before the INVITE: throws destination_not_allowed for a greeting or campaign call to
   * somebody who asked not to be called, or took back the consent.
   */
  mayDial(
    queries: Queries,
    call: { readonly tenantId: number; readonly callUuid: string; readonly toNumber: string },
  ): Promise<void>;
  /**
   * What the other side said, or that they pressed the key that the agent offered against further
   * calls: honoured at once in a greeting or campaign call. True: the person is not called again, and
   * the call may end.
   */
  handleOptOut(
    call: { readonly tenantId: number; readonly callUuid: string; readonly number: string },
    what: "opt_out_key" | { readonly text: string },
  ): Promise<boolean>;
  /** In the transaction that ends a call: memory, the CRM's message, birthday and campaign results. */
  ended(queries: Queries, call: EndedCall): Promise<void>;
  /** After that transaction: what waits may leave. */
  wake(): void;
}
