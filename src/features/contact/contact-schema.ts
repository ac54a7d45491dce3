/**
 * Schema of a contact: name, bounds, default and description of each field. The API's input and output and the
 * record are derived from it.
 */
import { z } from "zod";
import { choice, e164In, field, flag, nameOrEmpty, text } from "../../core/schema.ts";
import type { RecordOf } from "../../core/wire-names.ts";
import { AGENT_LANGUAGES } from "../agent/agent.ts";
import { parseBirthday } from "./birthday.ts";

export const NAME_MAX = 120;

const name = (description: string) => nameOrEmpty(NAME_MAX, description, "Jonas");

/** Stored and shown fields. */
export const contactShape = {
  number_e164: e164In("Phone number of the person."),
  first_name: name("First name.").default(""),
  last_name: name("Last name.").default(""),
  vocative: name("Form of address, if the automatic one is wrong. `null` for the automatic one.")
    .nullable()
    .default(null),
  birthday: field(
    z.string().refine((day) => parseBirthday(day) !== null),
    {
      description: "Birthday, with or without the year, between 1900 and today. `null` if unknown.",
      example: "1980-02-29",
      must: "be a day like 1980-02-29, or --02-29 without a year",
    },
  )
    .nullable()
    .default(null),
  language: choice(AGENT_LANGUAGES, "Language of the person. `null` if unknown.", "lt")
    .nullable()
    .default(null),
  notes: text(
    2000,
    "Notes. Given to the agent if the caller is recognised. `null` if there are none.",
    "Prefers mornings",
  ).default(""),
  consent: flag("Whether the person agreed to birthday and campaign calls.").default(false),
  do_not_call: flag("Whether the person asked not to be called.").default(false),
};

/** Input fields, including the PIN. The API never returns it. */
export const newContactShape = {
  ...contactShape,
  pin: field(z.string().regex(/^\d{4,8}$/), {
    description: "Telephone PIN. `null` removes it. Never returned.",
    example: "2580",
    must: "be 4 to 8 digits",
  })
    .nullable()
    .default(null),
};

export type ContactFields = RecordOf<z.output<z.ZodObject<typeof contactShape>>>;
export type NewContact = RecordOf<z.output<z.ZodObject<typeof newContactShape>>>;
