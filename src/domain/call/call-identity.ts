/** Which call it is: what is settled when it begins and never changes. */
import type { MicroEur } from "../../core/money.ts";
import type { AgentLanguage } from "../agent/agent.ts";
import type { CallerLevel } from "../contact/ports.ts";

export interface CallIdentity {
  readonly tenantId: number;
  readonly rowId: number;
  readonly callUuid: string;
  readonly direction: "inbound" | "outbound";
  readonly fromNumber: string;
  readonly toNumber: string;
  readonly agentId: number | null;
  /** The version of the agent that runs. Missing: none is stored. */
  readonly agentVersion?: number;
  readonly language: AgentLanguage;
  readonly maxDurationSeconds: number;
  /** How sure it was who is on the other side when the call began. Missing: 0. */
  readonly callerLevel?: CallerLevel;
  /** It runs over a trunk whose word on numbers counts (trusted-trunk.ts). Missing: it does not. */
  readonly trustedTrunk?: boolean;
  /** Snapshot of the overage price when the call began. */
  readonly overageRate: MicroEur;
}

/** The number of the other side. */
export const remoteNumber = ({
  direction,
  fromNumber,
  toNumber,
}: Pick<CallIdentity, "direction" | "fromNumber" | "toNumber">): string =>
  direction === "inbound" ? fromNumber : toNumber;
