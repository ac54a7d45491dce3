/** A split test: two versions of an agent share its callers. Decides which version a call runs. */
import { createHmac } from "node:crypto";
import type { Random } from "../../core/random.ts";
import type { AgentContent } from "./agent-content.ts";
import type { AgentRecord } from "./agent-schema.ts";

/** An active split, as a call reads it. */
export interface AgentSplit {
  /** The version tested against the published one. */
  readonly version: number;
  /** Percentage of callers that get it. */
  readonly percent: number;
  readonly content: AgentContent;
}

/** The agent with the version that a call runs. */
export interface AgentOfCall extends AgentRecord {
  /** True if files and tools come from the stored version instead of the agent's record. */
  readonly isStoredVersion?: true;
}

interface SplitCaller {
  readonly key: Uint8Array;
  /** The other party's number; empty if withheld. */
  readonly number: string;
  readonly random: Pick<Random, "float">;
}

const BITS = 48;

/** Uniform in [0, 1). Constant for one number during a split, at any percentage. */
function drawOf(key: Uint8Array, scope: string): number {
  const hash = createHmac("sha256", key).update(scope).digest();
  return hash.readUIntBE(0, BITS / 8) / 2 ** BITS;
}

/** Calls without caller ID get a version chosen at random. */
export function agentOfCall(
  agent: AgentRecord,
  split: AgentSplit | null,
  { key, number, random }: SplitCaller,
): AgentOfCall {
  if (!split) return agent;
  const { version, percent, content } = split;
  const draw =
    number === "" ? random.float() : drawOf(key, `split ${agent.id} ${version} ${number}`);
  if (draw * 100 >= percent) return agent;
  const { files, tools, ...fields } = content;
  return { ...agent, ...fields, version, isStoredVersion: true };
}
