/**
 * Building blocks of the API's schemas. A field carries its description and example for the
 * document, and one sentence that tells a caller how to fix a bad value.
 */
import { z } from "zod";
import { isE164 } from "../../core/e164.ts";
import { field, shown } from "../../core/schema.ts";

export { field, httpsUrl, requirementOf, shown, timeOut } from "../../core/schema.ts";

const ID_MAX = Number.MAX_SAFE_INTEGER;

export const idOut = (what: string) => shown(z.int().positive(), `Id of the ${what}.`, 1);

export const idIn = (what: string) =>
  field(z.int().positive(), {
    description: `Id of one of the tenant's ${what}.`,
    example: 1,
    must: "be a positive integer",
  });

export const eurOut = (description: string) => shown(z.number(), `${description} EUR.`, 0.25);

export const e164In = (description: string) =>
  field(
    z
      .string()
      .regex(/^\+[1-9]\d{6,14}$/)
      .refine(isE164)
      .meta({ format: "e164" }),
    {
      description: `${description} E.164.`,
      example: "+37060000001",
      must: "be a number in E.164 form: + and 7 to 15 digits, like +37060000001",
    },
  );

export const label = (description: string) =>
  field(z.string().min(1).max(120).regex(/\S/), {
    description,
    example: "Front desk",
    must: "be text of 1 to 120 characters",
  });

export const page = {
  limit: (defaultLimit: number, limitMax = 200) =>
    field(z.int().min(1).max(limitMax), {
      description: "How many at most.",
      example: defaultLimit,
      must: `be an integer from 1 to ${limitMax}`,
    }).default(defaultLimit),
  offset: () =>
    field(z.int().min(0).max(ID_MAX), {
      description: "How many to skip.",
      example: 0,
      must: "be an integer of 0 or more",
    }).default(0),
};

export const okTrue = z.literal(true);

/** `{"ok":true, …}` */
export const okReply = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject({ ok: okTrue, ...shape });

export const deletedReply = () =>
  okReply({ id: z.int().positive(), deleted: z.literal(true) }).meta({ id: "Deleted" });
