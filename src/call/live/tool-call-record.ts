/** Stores and reports a tool call. Arguments stay in the call's record; events carry none. */

import type { ToolResult } from "../../conversation/call-config.ts";
import type { Clock } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import { toolExecuted } from "../../features/webhook/catalogue.ts";
import type { EventSink } from "../../features/webhook/ports.ts";
import type { CallIdentity } from "../call-identity.ts";
import type { CallStorage } from "../stores.ts";

export interface ToolCallPorts extends CallStorage {
  readonly events: EventSink;
  readonly clock: Clock;
}

export async function recordToolCall(
  context: ToolCallPorts,
  call: CallIdentity,
  request: { readonly tool: string; readonly arguments: JsonObject },
  result: ToolResult,
): Promise<void> {
  await context.database.tx(async (queries) => {
    await context.stores.calls(queries).addToolCall(call.rowId, {
      tool: request.tool,
      arguments: request.arguments,
      ok: result.ok,
      httpStatus: result.httpStatus,
      durationMs: Math.round(result.durationMs),
      createdAt: context.clock.now(),
    });
    await context.events.emit(queries, call.tenantId, toolExecuted(call, request.tool, result));
  });
  context.events.wake();
}
