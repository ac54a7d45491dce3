/**
 * Content of an agent version: everything that decides how the agent behaves. It refers to files by the hash
 * of their text. Each text is stored once. It contains only the tools that the agent may use, without their
 * secrets.
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
  /** True if every agent of the tenant has it. */
  readonly shared: boolean;
}

export interface AgentContent extends AgentFields {
  /** Sorted by name. */
  readonly files: readonly VersionFile[];
  /** Sorted by name. */
  readonly tools: readonly VersionTool[];
}

/** Defaults of a stored tool's missing fields. */
export const TOOL_DEFAULTS = { callerLevel: 0, shared: false } as const;

/** Content as stored; fields added later are missing. */
type StoredContent = Partial<AgentContent> & Pick<AgentContent, "name" | "prompt">;

/**
 * Adds missing fields with their defaults. A tool's fields get a fixed order, because tools are compared as
 * text.
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
