/** Tools (specification 4): read only here, made in the dashboard. */
import { z } from "zod";
import { idOut, okReply, shown, timeOut } from "../../contracts/schema.ts";
import { contract } from "../contract.ts";

export const Tool = z
  .strictObject({
    id: idOut("tool"),
    name: shown(z.string(), "Name the agent calls it by.", "find_booking"),
    description: shown(z.string(), "What it does, told to the agent.", "Finds a booking."),
    url: shown(z.string(), "Where it is POSTed to.", "https://example.com/tools/find-booking"),
    secret_header: shown(z.string(), "Name of the header with your secret.", "X-Tool-Secret"),
    agent_id: shown(z.int().nullable(), "The only agent that may use it; null: every.", null),
    parameters: shown(z.record(z.string(), z.unknown()), "JSON Schema of its arguments.", {
      type: "object",
    }),
    enabled: shown(z.boolean(), "Whether agents may use it.", true),
    caller_level: shown(
      z.literal([0, 1, 2]),
      "How sure it must be who the caller is: 0 anybody, 1 the number is a contact's, 2 and its PIN was keyed.",
      0,
    ),
    created_at: timeOut("When it was made."),
    updated_at: timeOut("When it was last changed."),
  })
  .meta({ id: "Tool" });

export const listTools = contract({
  operationId: "listTools",
  method: "GET",
  path: "/tools",
  tag: "Tools",
  summary: "List tools",
  description: "Tools are created in the dashboard only. Their secrets are never returned.",
  reply: okReply({ tools: z.array(Tool) }),
  errors: [],
});
