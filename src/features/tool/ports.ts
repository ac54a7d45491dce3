/**
 * A tool call over HTTP (specification 1): the tenant's endpoint, its secret header, our limits.
 */

import type { ToolResult } from "../../conversation/call-config.ts";
import type { JsonObject } from "../../core/json.ts";
import type { CallerLevel } from "../contact/ports.ts";

export interface ToolRunner {
  /** Runs a tool by id outside a call, even a disabled one. Throws not_found. */
  trial(tenantId: number, toolId: number, trial: ToolTrial): Promise<ToolResult>;
  /** POSTs JSON through the outbound HTTP client. Never rejects: every failure is a result with `ok: false`. */
  run(
    tenantId: number,
    call: {
      callUuid: string;
      toolCallId: string;
      tool: string;
      arguments: JsonObject;
      /** Agent version whose tool to run. Default: the current tool. */
      version?: AgentVersionOfCall;
      caller: JsonObject;
      /** How certain the caller's identity is. Default: 0. */
      level?: CallerLevel;
      /** Asks the caller to verify their identity if a tool requires it. Returns the reached level. */
      raise?: () => Promise<CallerLevel>;
    },
  ): Promise<ToolResult>;
}

export interface AgentVersionOfCall {
  readonly agentId: number;
  readonly number: number;
}

export interface ToolTrial {
  /** Sent as `call_id`. */
  readonly callUuid: string;
  readonly arguments: JsonObject;
}
