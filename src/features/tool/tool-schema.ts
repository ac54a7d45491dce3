/**
 * Schema of a tool: name, bounds, default and description of each field. The input and output of the command
 * line and the API, and the record, are derived from it. tool-rules.ts has further rules.
 */
import { z } from "zod";
import type { JsonValue } from "../../core/json.ts";
import { field, filled, flag, httpsUrl } from "../../core/schema.ts";
import type { RecordOf } from "../../core/wire-names.ts";

/** Stored and shown fields. */
export const toolShape = {
  name: field(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/), {
    description: "Name of the tool, unique in the tenant.",
    example: "find_booking",
    must: "be 1 to 64 characters: lower-case letters, digits and underscores, beginning with a letter",
    reason: "tool_name",
  }),
  description: filled(
    1024,
    "Description for the agent: purpose of the tool and when to use it.",
    "Finds a booking by name and day.",
  ),
  // Checked again at every connection (net/outbound-http.ts).
  url: httpsUrl("URL that receives the POST request."),
  secret_header: field(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/), {
    description: "Name of the header that contains your secret.",
    example: "X-Tool-Secret",
    must: "be an HTTP header's name of at most 64 characters that is not one of HTTP's own",
  }),
  agent_id: field(z.int().positive(), {
    description: "Id of the only agent that may use the tool. `null` if all agents may use it.",
    example: 1,
    must: "be a positive integer",
    reason: "choice",
  })
    .nullable()
    .default(null),
  // It comes from JSON, so its values are JSON.
  parameters: field(z.record(z.string(), z.unknown() as z.ZodType<JsonValue>), {
    description: "Arguments of the tool, as the JSON Schema of an object.",
    example: { type: "object" },
    must: "be a JSON Schema of an object, at most 16 KiB",
  }),
  enabled: flag("Whether agents may use the tool.", true).default(true),
  caller_level: field(z.literal([0, 1, 2]), {
    description:
      "Required identification of the caller: 0: none. 1: the number belongs to a contact. 2: the contact's PIN was also entered.",
    example: 0,
    must: "be 0, 1 or 2",
  }).default(0),
};

/** Input fields, including the secret. The API never returns it. */
export const newToolShape = {
  ...toolShape,
  secret: field(z.string().regex(/^[\x21-\x7e]{1,512}$/), {
    description: "Sent in that header. Never returned.",
    example: "a-long-random-text",
    must: "be 1 to 512 visible ASCII characters without spaces",
  }),
};

export type ToolFields = RecordOf<z.output<z.ZodObject<typeof toolShape>>>;
export type NewTool = RecordOf<z.output<z.ZodObject<typeof newToolShape>>>;
export type ToolChanges = Partial<NewTool>;
