/** Identifies a call. The fields are fixed when it begins. */
import type { MicroEur } from "../core/money.ts";
import type { AgentLanguage } from "../features/agent/agent.ts";
import type { CallerLevel } from "../features/contact/ports.ts";

export interface CallIdentity {
  readonly tenantId: number;
  readonly rowId: number;
  readonly callUuid: string;
  readonly direction: "inbound" | "outbound";
  readonly fromNumber: string;
  readonly toNumber: string;
  readonly agentId: number | null;
  /** The running version of the agent. Missing if no version is stored. */
  readonly agentVersion?: number;
  readonly language: AgentLanguage;
  readonly maxDurationSeconds: number;
  /** How certain the caller's identity was when the call began. Default: 0. */
  readonly callerLevel?: CallerLevel;
  /** True if its trunk is trusted to show real caller numbers (trusted-trunk.ts). Default: false. */
  readonly trustedTrunk?: boolean;
  /** Overage price when the call began. */
  readonly overageRate: MicroEur;
}

/** Number of the other party. */
export const remoteNumber = ({
  direction,
  fromNumber,
  toNumber,
}: Pick<CallIdentity, "direction" | "fromNumber" | "toNumber">): string =>
  direction === "inbound" ? fromNumber : toNumber;
