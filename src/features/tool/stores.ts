/** Port for the rows that a tool call needs; `src/features/tool/tool-target-store.ts` implements it. */

import type { Queries } from "../../core/database.ts";
import type { JsonObject } from "../../core/json.ts";
import type { CallerLevel } from "../contact/ports.ts";
import type { AgentVersionOfCall } from "./ports.ts";

export interface ToolTarget {
  readonly id: number;
  readonly url: string;
  /** Name of the header with the secret. */
  readonly secretHeader: string;
  readonly secretSealed: string;
  readonly parameters: JsonObject;
  readonly callerLevel: CallerLevel;
}

interface ToolTargetStore {
  /**
   * Null if no enabled tool has this name. With `version`, the tool of that agent version, but with the
   * current secret. Deleting or disabling a tool applies at once.
   */
  find(tenantId: number, name: string, version?: AgentVersionOfCall): Promise<ToolTarget | null>;
  /** Also finds a disabled tool, for a trial. Null if the tenant has no such tool. */
  byId(tenantId: number, id: number): Promise<(ToolTarget & { readonly name: string }) | null>;
}

export type ToolTargets = (queries: Queries) => ToolTargetStore;
