/**
 * Schema of a phone number: name, bounds, default and description of each field. The API's input and output
 * and the record are derived from it.
 */
import type { z } from "zod";
import { e164In, flag, idIn, nameIn } from "../../core/schema.ts";
import type { RecordOf } from "../../core/wire-names.ts";

/** Changeable fields. */
export const numberShape = {
  label: nameIn(120, "Label of your choice. `null` for none.", "Front desk")
    .nullable()
    .default(null),
  agent_id: idIn("agents", "`null` for none.").nullable().default(null),
  inbound_enabled: flag("Whether inbound calls to the number are answered.", true).default(true),
};

export const newNumberShape = { number_e164: e164In("Phone number."), ...numberShape };

export type NumberFields = RecordOf<z.output<z.ZodObject<typeof numberShape>>>;
export type NewNumber = RecordOf<z.output<z.ZodObject<typeof newNumberShape>>>;
