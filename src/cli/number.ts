/** `linevoice number confirm`. */
import { asks, commandOf } from "./actions.ts";

export const numberCommand = commandOf(
  "number",
  {
    confirm: asks("number.confirm", {
      usage: ["number confirm --tenant ID NUMBER [--json]"],
      fields: ["tenant"],
      word: ["NUMBER", "number"],
      lines: ({ tenant, number }) => [`${number} belongs to tenant ${tenant}.`],
    }),
  },
  ["Other tenants' entries of the number are switched off. Each tenant gets an email."],
);
