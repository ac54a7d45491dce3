/**
 * A tool call over HTTP (specification 1): the tenant's endpoint, its secret header, our limits.
 */

import type { JsonObject } from "../../core/json.ts";
import type { CallerLevel } from "../contact/ports.ts";
import type { ToolResult } from "../conversation/call-config.ts";

export interface ToolRunner {
  /** Runs a tool by id outside any call, also a disabled one. Throws not_found. */
  trial(tenantId: number, toolId: number, trial: ToolTrial): Promise<ToolResult>;
  /**
   * Never rejects: every failure is a result with `ok: false`. POSTs JSON through the outbound HTTP
   * client.
   */
  run(
    tenantId: number,
    call: {
      callUuid: string;
      toolCallId: string;
      tool: string;
      arguments: JsonObject;
      /** The version of the agent that asks: its tool is run. Missing: the tool as it is now. */
      version?: AgentVersionOfCall;
      caller: JsonObject;
      /** How certain the caller's identity is. Default: 0. */
      level?: CallerLevel;
      /**
       * Asks the caller to verify their identity if a tool requires it. Returns the level reached.
       */
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
