/**
 * The value types of configuration keys. Each has a description, a default, its bounds, and the
 * allowed values in words (`meta.allowed`). Error messages, `config/linevoice.toml` and the
 * reference are generated from them.
 *
 * TOML has no null: an empty string means that the key is unset, and it is read as null.
 */
import { z } from "zod";
import { integerWith, numberWith, stringWith } from "../../core/schema.ts";

export interface KeyMeta {
  /** Meaning of the key, in full sentences. */
  readonly description: string;
  /** Text that follows "allowed:". */
  readonly allowed: string;
  /** Never printed. The value may be `{ file = "…" }` or a systemd credential. */
  readonly secret?: boolean;
  /** Determines how an environment variable is parsed. */
  readonly kind: "text" | "number" | "boolean" | "list" | "table";
}

/**
 * Modifies the schema in place: each schema is created for one key, and `meta()` would create it
 * twice.
 */
function described<Schema extends z.ZodType>(schema: Schema, meta: KeyMeta): Schema {
  z.globalRegistry.add(schema, { ...meta });
  return schema;
}

export function keyMeta(schema: z.ZodType): KeyMeta | undefined {
  const meta = schema.meta();
  return meta && typeof meta.allowed === "string" ? (meta as unknown as KeyMeta) : undefined;
}

interface TextRule {
  readonly allowed: string;
  readonly matches?: RegExp | ((text: string) => boolean);
  readonly charactersMax?: number;
}

function ruled({ allowed, matches, charactersMax = 1000 }: TextRule, emptyAllowed: boolean) {
  const fits = (text: string) => {
    if (text === "") return emptyAllowed;
    if (text.length > charactersMax) return false;
    if (matches === undefined) return true;
    return matches instanceof RegExp ? matches.test(text) : matches(text);
  };
  return stringWith(z.refine(fits, { error: allowed }));
}

export const text = (description: string, fallback: string, rule: TextRule) =>
  described(z._default(ruled(rule, fallback === ""), fallback), {
    description,
    allowed: rule.allowed,
    kind: "text",
  });

/** A text with a default; `""` turns it off. */
export const textOrOff = (description: string, fallback: string, rule: TextRule) => {
  const allowed = `${rule.allowed}, or "" for none`;
  return described(z._default(ruled({ ...rule, allowed }, true), fallback), {
    description,
    allowed,
    kind: "text",
  });
};

const orNull = (schema: z.ZodString) =>
  z.pipe(
    z._default(schema, ""),
    z.transform((value: string) => (value === "" ? null : value)),
  );

/** An empty string means unset and is read as null. */
export const optionalText = (description: string, rule: TextRule) => {
  const allowed = `${rule.allowed}, or "" for none`;
  return described(orNull(ruled({ ...rule, allowed }, true)), {
    description,
    allowed,
    kind: "text",
  });
};

/** Read as null when unset. Never printed. */
export const secret = (description: string, rule: TextRule) => {
  const allowed = `${rule.allowed}, { file = "…" }, or "" for none`;
  return described(orNull(ruled({ ...rule, allowed, charactersMax: 4096 }, true)), {
    description,
    allowed,
    kind: "text",
    secret: true,
  });
};

const bounds = (what: string, min: number, max: number) => `${what} from ${min} to ${max}`;

export const integer = (description: string, fallback: number, min: number, max: number) => {
  const allowed = bounds("a whole number", min, max);
  return described(z._default(integerWith(z.gte(min), z.lte(max)), fallback), {
    description,
    allowed,
    kind: "number",
  });
};

export const decimal = (description: string, fallback: number, min: number, max: number) => {
  const allowed = bounds("a number", min, max);
  return described(z._default(numberWith(z.gte(min), z.lte(max)), fallback), {
    description,
    allowed,
    kind: "number",
  });
};

/** EUR. An amount below one micro-euro, the unit of account, would count as 0. */
export const eur = (description: string, max: number) =>
  described(z._default(numberWith(z.lte(max), z.refine(isCountable)), 0), {
    description,
    allowed: `${bounds("a number", 0, max)}; above 0 at least 0.000001`,
    kind: "number",
  });

const isCountable = (amount: number) => amount === 0 || amount >= 0.000001;

export const flag = (description: string, fallback: boolean) =>
  described(z._default(z.boolean(), fallback), {
    description,
    allowed: "true or false",
    kind: "boolean",
  });

export const oneOf = <const Values extends readonly [string, ...string[]]>(
  description: string,
  values: Values,
  fallback: Values[number],
) =>
  described(z._default(z.enum(values), fallback as never), {
    description,
    allowed: quoted(values, " or "),
    kind: "text",
  });

export const listOf = <Item extends z.ZodType>(
  description: string,
  item: Item,
  fallback: z.output<Item>[],
  allowed: string,
  { min = 0, max = 100 } = {},
) =>
  described(
    z._default(z.array(item).check(z.minLength(min), z.maxLength(max)), fallback as never),
    { description, allowed, kind: "list" },
  );

/** A table whose keys the operator chooses, from `names` if given. */
export const tableOf = <Value extends z.ZodType>(
  description: string,
  value: Value,
  fallback: Record<string, z.output<Value>>,
  allowed: string,
  names?: readonly string[],
) =>
  described(
    z
      .record(
        z
          .string()
          .min(1)
          .max(120)
          .check(z.refine((name) => names?.includes(name) ?? true)),
        value,
      )
      .refine((table) => Object.keys(table).length <= 200, { error: "at most 200 entries" })
      .default(fallback as never),
    { description, allowed, kind: "table" },
  );

/** A section. Unknown keys are rejected; a missing section takes all defaults. */
export const section = <Shape extends z.ZodRawShape>(shape: Shape, description = "") => {
  const schema = z.prefault(z.strictObject(shape), {} as never);
  if (description !== "") z.globalRegistry.add(schema, { description });
  return schema;
};

/** For [[arrays of tables]]. Their items have no separate defaults. */
export const tables = <Item extends z.ZodType>(
  item: Item,
  fallback: z.input<Item>[],
  {
    min,
    max,
    allowed,
    description,
  }: { min: number; max: number; allowed: string; description: string },
) =>
  described(
    z.prefault(z.array(item).check(z.minLength(min), z.maxLength(max)), fallback as never),
    { description, allowed, kind: "table" },
  );

export const quoted = (values: readonly string[], separator = ", ") =>
  values.map((value) => `"${value}"`).join(separator);
