/**
 * Validates a request against OpenAI's published schemas: test/fixtures/openai-requests.json,
 * written by scripts/openai-schemas.ts. An unknown field is also a problem, because strict servers
 * reject it.
 */
import { z } from "zod";
import { $defs, requests } from "../../fixtures/openai-requests.json";

export type OfficialRequest = keyof typeof requests;
type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];
interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

const definitions = $defs as unknown as Readonly<Record<string, Schema>>;
const validators = new Map<OfficialRequest, z.ZodType>();

/** Returns the problems; empty if the request is valid and every field is known. */
export function schemaProblems(request: OfficialRequest, body: unknown): string[] {
  const reference = `#/$defs/${requests[request]}`;
  const issues = validatorOf(request, reference).safeParse(body).error?.issues ?? [];
  return [
    ...issues.map(({ path, message }) => `${path.join(".")}: ${message}`),
    ...unknownFields({ $ref: reference }, body, ""),
  ];
}

/** Replaces "any text, or one of these texts", in which both alternatives match, by any text. */
function withOpenTexts(defs: object): object {
  const open = (_: string, value: unknown) => {
    const { oneOf } = (value ?? {}) as { readonly oneOf?: readonly { readonly type?: string }[] };
    const isOpen = Array.isArray(oneOf) && oneOf.every(({ type }) => type === "string");
    return isOpen ? { anyOf: oneOf } : value;
  };
  return JSON.parse(JSON.stringify(defs), open);
}

function validatorOf(request: OfficialRequest, $ref: string): z.ZodType {
  const known = validators.get(request);
  if (known) return known;
  const made = z.fromJSONSchema({ $ref, $defs: withOpenTexts($defs) } as unknown as JsonSchema);
  validators.set(request, made);
  return made;
}

/** Every schema that may apply to the value, in any combination. */
function alternatives(schema: Schema): Schema[] {
  const { $ref, allOf = [], anyOf = [], oneOf = [] } = schema;
  const named = $ref === undefined ? undefined : definitions[$ref.slice("#/$defs/".length)];
  const further = [...(named ? [named] : []), ...allOf, ...anyOf, ...oneOf];
  return [schema, ...further.flatMap(alternatives)];
}

function unknownFields(schema: Schema, value: unknown, path: string): string[] {
  const all = alternatives(schema);
  if (Array.isArray(value)) {
    const items = all.flatMap((each) => each.items ?? []);
    return value.flatMap((each, index) =>
      unknownFields({ anyOf: items }, each, `${path}${index}.`),
    );
  }
  if (typeof value !== "object" || value === null) return [];
  if (all.some(({ properties, additionalProperties }) => !properties && additionalProperties))
    return [];
  const properties = all.flatMap((each) => Object.entries(each.properties ?? {}));
  // A plain `object`, such as a tool's parameters, accepts any field.
  if (properties.length === 0) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const known = properties.filter(([each]) => each === name).map(([, each]) => each);
    if (known.length === 0) return [`${path}${name}: no such field`];
    return unknownFields({ anyOf: known }, field, `${path}${name}.`);
  });
}
