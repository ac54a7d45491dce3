/**
 * The kinds of values a configuration key can have. Each carries its default, its bounds, and in
 * words what is allowed (`meta.allowed`), which error messages and the reference repeat.
 *
 * TOML has no null: an empty string leaves a key unset, and reads as null.
 */
import { z } from "zod";

export interface KeyMeta {
  /** Plain words after "allowed:". */
  readonly allowed: string;
  /** Never printed; may be `{ file = "…" }` or a systemd credential. */
  readonly secret?: boolean;
  /** What an environment variable's text is read as. */
  readonly kind: "text" | "number" | "boolean" | "list" | "table";
}

/** In place: every schema here is made for its key, and `meta()` would make it a second time. */
function described<Schema extends z.ZodType>(schema: Schema, meta: KeyMeta): Schema {
  z.globalRegistry.add(schema, { ...meta });
  return schema;
}

/** What is known about a key; undefined for a section. */
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
  return z.string().refine(fits, { error: allowed });
}

export const text = (fallback: string, rule: TextRule) =>
  described(ruled(rule, fallback === "").default(fallback), {
    allowed: rule.allowed,
    kind: "text",
  });

/** A text with a default that `""` switches off. */
export const textOrOff = (fallback: string, rule: TextRule) => {
  const allowed = `${rule.allowed}, or "" for none`;
  return described(ruled({ ...rule, allowed }, true).default(fallback), { allowed, kind: "text" });
};

/** Empty is unset, and reads as null. */
export const optionalText = (rule: TextRule) => {
  const allowed = `${rule.allowed}, or "" for none`;
  return described(
    ruled({ ...rule, allowed }, true)
      .default("")
      .transform((value) => (value === "" ? null : value)),
    { allowed, kind: "text" },
  );
};

/** Reads as null when unset; never printed. */
export const secret = (rule: TextRule) => {
  const allowed = `${rule.allowed}, { file = "…" }, or "" for none`;
  return described(
    ruled({ ...rule, allowed, charactersMax: 4096 }, true)
      .default("")
      .transform((value) => (value === "" ? null : value)),
    { allowed, kind: "text", secret: true },
  );
};

const bounds = (what: string, min: number, max: number) => `${what} from ${min} to ${max}`;

export const integer = (fallback: number, min: number, max: number) => {
  const allowed = bounds("a whole number", min, max);
  return described(z.int().min(min).max(max).default(fallback), { allowed, kind: "number" });
};

export const decimal = (fallback: number, min: number, max: number) => {
  const allowed = bounds("a number", min, max);
  return described(z.number().min(min).max(max).default(fallback), { allowed, kind: "number" });
};

export const flag = (fallback: boolean) =>
  described(z.boolean().default(fallback), { allowed: "true or false", kind: "boolean" });

export const oneOf = <const Values extends readonly [string, ...string[]]>(
  values: Values,
  fallback: Values[number],
) =>
  described(z.enum(values).default(fallback as never), {
    allowed: quoted(values, " or "),
    kind: "text",
  });

export const listOf = <Item extends z.ZodType>(
  item: Item,
  fallback: z.output<Item>[],
  allowed: string,
  { min = 0, max = 100 } = {},
) =>
  described(
    z
      .array(item)
      .min(min)
      .max(max)
      .default(fallback as never),
    { allowed, kind: "list" },
  );

/** A table whose keys the operator makes up. */
export const tableOf = <Value extends z.ZodType>(
  value: Value,
  fallback: Record<string, z.output<Value>>,
  allowed: string,
) =>
  described(
    z
      .record(z.string().min(1).max(120), value)
      .refine((table) => Object.keys(table).length <= 200, { error: "at most 200 entries" })
      .default(fallback as never),
    { allowed, kind: "table" },
  );

/** A section: unknown keys are refused, a missing one is all defaults. */
export const section = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape).prefault({} as never);

/** For [[arrays of tables]], whose items have no defaults of their own position. */
export const tables = <Item extends z.ZodType>(
  item: Item,
  fallback: z.input<Item>[],
  { min, max, allowed }: { min: number; max: number; allowed: string },
) =>
  described(
    z
      .array(item)
      .min(min)
      .max(max)
      .prefault(fallback as never),
    { allowed, kind: "table" },
  );

export const quoted = (values: readonly string[], separator = ", ") =>
  values.map((value) => `"${value}"`).join(separator);
