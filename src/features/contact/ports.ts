/** Interface between calls and contacts. */
import type { CallConfig } from "../../conversation/call-config.ts";
import type { CallContextItem } from "../../conversation/call-context-item.ts";

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
  /** E.164; empty if withheld. */
  readonly number: string;
  readonly callUuid: string;
}

/** How certain the caller's identity is. 0: unknown; 1: the number of one contact; 2: also a correct PIN. */
export type CallerLevel = 0 | 1 | 2;

export interface CallerContext {
  readonly level: CallerLevel;
  /** Trusted sentences for the prompt. */
  readonly facts: readonly string[];
  /** Data from contacts and earlier calls. */
  readonly data: readonly CallContextItem[];
  /** Occasion of the call if the agent must mention it. */
  readonly occasion: "birthday" | null;
  /** True if the person may opt out, because nobody requested this call in person. */
  readonly canOptOut: boolean;
  /** The agent's first words with the name; null if the person is not certain. */
  readonly namedGreeting: string | null;
  /** Values for `{{…}}`, from a campaign's target. */
  readonly variables: Readonly<Record<string, string>>;
  /** Earlier calls as a file, for engines that answer from knowledge. */
  readonly knowledge: CallConfig["knowledge"][number] | null;
}

export interface EndedCall {
  readonly tenantId: number;
  readonly callUuid: string;
  readonly direction: "inbound" | "outbound";
  /** Number of the other party; empty if withheld. */
  readonly number: string;
  readonly agentId: number | null;
  readonly status: string;
  readonly endedReason: string;
  /** Time of the answer; for an unanswered call, its start. */
  readonly startedAt: number;
  readonly answeredMs: number;
  /** Empty if there is none. */
  readonly summary: string;
  /** Subject and result in one line, without private details; empty if unknown. */
  readonly line: string;
  readonly transcript: string;
  readonly costEur: number;
  /** The tenant's settings for storing and forwarding call data. */
  readonly tenant: Pick<CallerTenant, "callbackMemory" | "crmBridge">;
}

export type PinResult = "right" | "wrong" | "locked" | "no_pin";

/** Implemented by contact/pin-check.ts. */
export interface PinCheck {
  /** False if the number does not belong to exactly one contact with a PIN, or is locked. */
  mayTry(call: { readonly tenantId: number; readonly number: string }): Promise<boolean>;
  /** Counts and checks one attempt and writes the audit log. */
  check(
    call: { readonly tenantId: number; readonly number: string; readonly callUuid: string },
    digits: string,
  ): Promise<PinResult>;
}
