/**
 * A phone number: each field once, by its name on the wire, with bounds, default and meaning. What the API takes
 * and answers, and the record, follow from here.
 */
import type { z } from "zod";
import { e164In, filled, flag, idIn } from "../../core/schema.ts";
import type { RecordOf } from "../../core/wire-names.ts";

/** What may change later. */
export const numberShape = {
  label: filled(120, "Your name for it.", "Front desk").nullable().default(null),
  agent_id: idIn("agents").nullable().default(null),
  inbound_enabled: flag("Whether inbound calls are answered.", true).default(true),
};

export const newNumberShape = { number_e164: e164In("The number."), ...numberShape };

export type NumberFields = RecordOf<z.output<z.ZodObject<typeof numberShape>>>;
export type NewNumber = RecordOf<z.output<z.ZodObject<typeof newNumberShape>>>;
