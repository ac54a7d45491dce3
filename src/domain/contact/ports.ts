/** What calls learn about people, and what people's records learn about calls. */
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

/** How sure it is who calls: 0 unknown, 1 the number of one contact, 2 a correct PIN, too. */
export type CallerLevel = 0 | 1 | 2;

export interface CallerContext {
  readonly level: CallerLevel;
  /** Our own sentences for the prompt. */
  readonly facts: readonly string[];
  /** Data from contacts and earlier calls. */
  readonly data: readonly CallDatum[];
  /** The reason for the call if the agent must say it. */
  readonly occasion: "birthday" | null;
  /** The person may refuse further calls: nobody asked for this one in person. */
  readonly canOptOut: boolean;
  /** The agent's first words with the name; null: the person is not certain. */
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
  /** Number of the other side; empty: withheld. */
  readonly number: string;
  readonly agentId: number | null;
  readonly status: string;
  readonly endedReason: string;
  /** When it was answered; where nobody answered, when it was made. */
  readonly startedAt: number;
  readonly answeredMs: number;
  /** Empty: none was made. */
  readonly summary: string;
  /** Subject and result in one line, without private details; empty: unknown. */
  readonly line: string;
  readonly transcript: string;
  readonly costEur: number;
  /** What the tenant keeps and passes on of calls. */
  readonly tenant: Pick<CallerTenant, "callbackMemory" | "crmBridge">;
}

export type PinResult = "right" | "wrong" | "locked" | "no_pin";

/** Implemented by contact/pin-check.ts. */
export interface PinCheck {
  /** False if the number is not that of one contact with a PIN, or is locked out. */
  mayTry(call: { readonly tenantId: number; readonly number: string }): Promise<boolean>;
  /** Counts and checks one attempt and writes the audit log. */
  check(
    call: { readonly tenantId: number; readonly number: string; readonly callUuid: string },
    digits: string,
  ): Promise<PinResult>;
}
