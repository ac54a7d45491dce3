/**
 * Building blocks of the API's schemas. Each field has a description and an example for the OpenAPI document,
 * and one sentence about how to fix a bad value.
 */
import { z } from "zod";
import { field, integer, nameIn, shown } from "../../core/schema.ts";

export {
  atMost,
  callersNumberIn,
  choice,
  e164In,
  emailIn,
  field,
  filled,
  flag,
  httpsUrl,
  idIn,
  integer,
  nameIn,
  requirementOf,
  shown,
  text,
  timeIn,
  timeOrNull,
  timeOut,
} from "../../core/schema.ts";

const ID_MAX = Number.MAX_SAFE_INTEGER;

export const idOut = (what: string) => shown(z.int().positive(), `Id of the ${what}.`, 1);

export const eurOut = (description: string) => shown(z.number(), `${description} EUR.`, 0.25);

export const label = (description: string) => nameIn(120, description, "Front desk");

export const timeOfDay = (description: string, example: string) =>
  field(z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/), {
    description: `${description} In the tenant's time zone.`,
    example,
    must: "be a time like 10:00",
    reason: "time",
  });

export const page = {
  limit: (defaultLimit: number, limitMax = 200) =>
    integer(1, limitMax, "Maximum number of records to return.", defaultLimit).default(
      defaultLimit,
    ),
  offset: () =>
    field(z.int().min(0).max(ID_MAX), {
      description: "Number of records to skip.",
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
