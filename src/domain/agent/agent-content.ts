/**
 * The content of a version: all that decides what an agent says and does. Files stand with the hash of their
 * text, which is stored once; tools without their secrets, and only those that the agent may use.
 */
import type { JsonObject } from "../../core/json.ts";
import { AGENT_DEFAULTS, type AgentFields, withTexts } from "./agent-schema.ts";

export interface VersionFile {
  readonly filename: string;
  readonly format: "txt" | "md" | "csv" | "json";
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface VersionTool {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly secretHeader: string;
  readonly parameters: JsonObject;
  readonly callerLevel: 0 | 1 | 2;
  /** Every agent of the tenant has it. */
  readonly shared: boolean;
}

export interface AgentContent extends AgentFields {
  /** By name. */
  readonly files: readonly VersionFile[];
  /** By name. */
  readonly tools: readonly VersionTool[];
}

/** Defaults of a stored tool's missing fields. */
export const TOOL_DEFAULTS = { callerLevel: 0, shared: false } as const;

/** A stored content. Fields added later are missing. */
type StoredContent = Partial<AgentContent> & Pick<AgentContent, "name" | "prompt">;

/**
 * Fills missing fields with their defaults, so that readers see every field. A tool's fields have
 * one order, because tools are compared as text.
 */
export function contentOf({ files = [], tools = [], ...fields }: StoredContent): AgentContent {
  return {
    ...withTexts({ ...AGENT_DEFAULTS, ...fields }),
    files,
    tools: tools.map(
      ({ callerLevel = TOOL_DEFAULTS.callerLevel, shared = TOOL_DEFAULTS.shared, ...tool }) => ({
        ...tool,
        callerLevel,
        shared,
      }),
    ),
  };
}
