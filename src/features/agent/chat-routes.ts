/** Testing an agent: by text here, by voice over a WebSocket. */

import { z } from "zod";
import { recordOf } from "../../core/wire-names.ts";
import { contract, route } from "../../http/contract.ts";
import { field, okReply, shown } from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import { AgentDraft } from "./draft.ts";

const MESSAGES_MAX = 100;
const TEXT_MAX = 2_000;

const text = (what: string) =>
  field(z.string().min(1).max(TEXT_MAX).regex(/\S/), {
    description: what,
    example: "When are you open?",
    must: `be text of 1 to ${TEXT_MAX} characters`,
    reason: "length",
    params: { from: 1, to: TEXT_MAX },
  });

/**
 * Voice test: WebSocket `/api/dashboard/agents/{id}/talk` (session cookie, same Origin).
 *
 * Client: `{type:"start",sample_rate:8000|16000,draft?}`, then binary frames of mono PCM16LE, 20 ms each;
 * `{type:"digit",digit:"5"}`, `{type:"stop"}`.
 *
 * Server: `{type:"ready",call_uuid,sample_rate}`, then binary frames of mono PCM16LE at that rate, 20 ms
 * each, in real time; `{type:"turn",turn}` (repeated as it grows),
 * `{type:"state",state:"listening"|"speaking"}`, `{type:"clear"}` to discard sent but unplayed audio (the
 * agent was interrupted), `{type:"sources",index,sources}` (knowledge sources of the turn with that index),
 * `{type:"tool",tool,arguments,ok,http_status,duration_ms}`, `{type:"ended",reason,summary}`, then it closes.
 * A rejection is `{type:"error",error,message}`.
 */
export const chat = contract({
  operationId: "chatWithAgent",
  at: "POST /agents/{id}/chat",
  noun: "agent",
  tag: "Agents",
  summary: "Chat with an agent in writing",
  description:
    "Uses only the agent's language model, without speech. Tools are really called. With a paid engine it counts as a trial (`trials` of `GET /usage`). Send the whole conversation with each request. Without a message, the response is the agent's greeting.",
  body: z
    .strictObject({
      messages: field(
        z
          .array(
            z.strictObject({
              role: z.enum(["agent", "customer"]),
              text: z.string().min(1).max(TEXT_MAX),
            }),
          )
          .max(MESSAGES_MAX),
        {
          description: "Conversation so far, oldest first.",
          example: [{ role: "agent", text: "Hello!" }],
          must: `be a list of at most ${MESSAGES_MAX} objects with role (agent or customer) and text of 1 to ${TEXT_MAX} characters`,
        },
      ).default([]),
      message: text("Next message of the customer.").optional(),
      draft: AgentDraft.optional(),
    })
    .meta({ id: "ChatMessage" }),
  reply: okReply({
    reply: shown(z.string(), "Response of the agent.", "We are open from nine to five."),
    ended: shown(z.boolean(), "Whether the agent would now end the call.", false),
    events: z.array(
      z.strictObject({
        type: shown(z.enum(["tool", "transfer", "end_call"]), "Kind of the event.", "tool"),
        tool: shown(z.string().nullable(), "Name of the tool.", "find_booking"),
        arguments: shown(
          z.record(z.string(), z.unknown()).nullable(),
          "Arguments of the tool call.",
          null,
        ),
        ok: shown(z.boolean().nullable(), "Whether the tool call succeeded.", true),
        output: shown(z.unknown(), "Response of the tool, or destination of the transfer.", null),
        duration_ms: shown(z.int().nullable(), "Duration of the tool call in ms.", 120),
      }),
    ),
    sources: z.array(
      z.strictObject({
        file_id: shown(z.int(), "The knowledge file.", 1),
        filename: shown(z.string(), "Its name.", "prices.md"),
        heading: shown(z.string(), "Heading of the passage. Empty if there is none.", "Whitening"),
        text: shown(z.string(), "Passage on which the answer is based.", "It costs 90 EUR."),
      }),
    ),
    duration_ms: shown(z.int(), "Duration until the answer in ms.", 12),
  }),
  errors: ["plan_limit_reached", "insufficient_balance", "unavailable"],
});

export const chatRoutes = ({ parts: { chats } }: ProductContext) => [
  route(chat)(async ({ tenantId, params, body }) => {
    const { messages: lines, message = null, draft = {} } = body;
    const answer = await chats.ask(tenantId, params.id, lines, message, recordOf(draft));
    return {
      ok: true,
      reply: answer.reply,
      ended: answer.ended,
      events: answer.actions.map(({ type, tool, arguments: values, ok, output, durationMs }) => ({
        type,
        tool,
        ok,
        output,
        arguments: values && { ...values },
        duration_ms: durationMs === null ? null : Math.round(durationMs),
      })),
      sources: answer.sources.map(({ fileId, filename, heading, text }) => ({
        file_id: fileId,
        filename,
        heading,
        text,
      })),
      duration_ms: answer.durationMs,
    };
  }),
];
