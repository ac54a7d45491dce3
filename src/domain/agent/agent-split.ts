/** Two versions of an agent that share its callers: which of them a call runs. */
import { createHmac } from "node:crypto";
import type { Random } from "../../core/random.ts";
import type { AgentContent } from "./agent-content.ts";
import type { AgentRecord } from "./agent-schema.ts";

/** An open split as a call reads it. */
export interface AgentSplit {
  /** The version beside the published one. */
  readonly version: number;
  /** How many of a hundred callers get it. */
  readonly percent: number;
  readonly content: AgentContent;
}

/** The agent as a call runs it. */
export interface AgentOfCall extends AgentRecord {
  /** Its files and tools are those of the stored version, not of the agent's record. */
  readonly isStoredVersion?: true;
}

interface SplitCaller {
  readonly key: Uint8Array;
  /** The number on the other side; empty: withheld. */
  readonly number: string;
  readonly random: Pick<Random, "float">;
}

const BITS = 48;

/** Uniform in [0, 1); the same for one number as long as the version is tried, at any percentage. */
function drawOf(key: Uint8Array, scope: string): number {
  const hash = createHmac("sha256", key).update(scope).digest();
  return hash.readUIntBE(0, BITS / 8) / 2 ** BITS;
}

/** A withheld number is drawn anew in each call. */
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
