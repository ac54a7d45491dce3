/** Asking an agent in writing. */
import { route } from "../../contract.ts";
import { chat } from "../contracts/agents.ts";
import type { ProductContext } from "./context.ts";

export const chatRoutes = ({ parts: { chats } }: ProductContext) => [
  route(chat)(async ({ tenantId, params, body }) => {
    const { messages, message } = body;
    const answer = await chats.ask(tenantId, params.id, messages, message ?? null);
    return {
      ok: true,
      reply: answer.reply,
      ended: answer.ended,
      events: answer.actions.map(({ type, tool, arguments: values, ok, output, durationMs }) => ({
        ...{ type, tool, ok, output },
        arguments: values && { ...values },
        duration_ms: durationMs === null ? null : Math.round(durationMs),
      })),
      duration_ms: answer.durationMs,
    };
  }),
];
