/** What the operator may do about a tenant's tools from the console. Plain data; methods throw AppError. */

import type { JsonObject } from "../../core/json.ts";
import type { CallerLevel } from "../../domain/contact/ports.ts";

export interface ToolDraft {
  readonly tenant: number;
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly secret_header: string;
  readonly secret: string;
  /** null: every agent of the tenant. */
  readonly agent: number | null;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  readonly enabled: boolean;
  /** 0 anybody, 1 the number is a contact's, 2 and a PIN was keyed. */
  readonly caller_level: CallerLevel;
}

export interface ToolSummary extends Omit<ToolDraft, "tenant" | "secret" | "agent"> {
  readonly id: number;
  readonly agent_id: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ToolPort {
  create(draft: ToolDraft): Promise<ToolSummary>;
  list(tenant: number): Promise<readonly ToolSummary[]>;
  remove(tenant: number, id: number): Promise<{ readonly id: number; readonly deleted: true }>;
}
