/**
 * Finds changes between two OpenAPI documents that break a client: a removed path, operation,
 * response, field or enum value, a newly required input, or a narrower type or bound. Additions are
 * compatible; texts and examples are not compared.
 */

type Json = { readonly [key: string]: unknown };
/**
 * `input`: the client sends the value, so it must not become narrower. `output`: it must not become
 * wider.
 */
type Direction = "input" | "output";

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Lower and upper bounds. An input's bounds may only become wider. */
const LOWER = ["minimum", "exclusiveMinimum", "minLength", "minItems"];
const UPPER = ["maximum", "exclusiveMaximum", "maxLength", "maxItems"];

/** Follows `$ref`; stops if a schema contains itself. */
class Comparison {
  readonly found: string[] = [];
  readonly #before: Json;
  readonly #after: Json;
  readonly #seen = new Set<string>();

  constructor(before: Json, after: Json) {
    this.#before = before;
    this.#after = after;
  }

  schema(at: string, direction: Direction, before: unknown, after: unknown): void {
    const pair = `${direction} ${objectOf(before).$ref} ${objectOf(after).$ref}`;
    if (objectOf(before).$ref !== undefined && objectOf(after).$ref !== undefined) {
      if (this.#seen.has(pair)) return;
      this.#seen.add(pair);
    }
    this.#values(at, direction, objectOf(before), objectOf(after));
    const left = withoutNull(before, this.#before);
    const right = withoutNull(after, this.#after);
    this.#bounds(at, direction, left, right);
    this.#properties(at, direction, left, right);
    if (isObject(left.items) && isObject(right.items))
      this.schema(`${at}[]`, direction, left.items, right.items);
  }

  /** Compares types and enum values, including those of `anyOf`. */
  #values(at: string, direction: Direction, before: Json, after: Json): void {
    const types = [typesOf(before, this.#before), typesOf(after, this.#after)] as const;
    const [kept, given] = direction === "input" ? types : [types[1], types[0]];
    for (const type of kept)
      if (!given.has(type) && !(type === "integer" && given.has("number")))
        this.found.push(
          direction === "input"
            ? `${at}: no longer takes ${type}`
            : `${at}: may now be ${type}, which it never was`,
        );
    const choices = [choicesOf(before, this.#before), choicesOf(after, this.#after)] as const;
    if (choices[0] === null) {
      if (choices[1] !== null && direction === "input")
        this.found.push(`${at}: takes only some values now`);
      return;
    }
    for (const value of choices[0])
      if (choices[1] !== null && !choices[1].has(value)) this.found.push(`${at}: ${value} is gone`);
  }

  #bounds(at: string, direction: Direction, before: Json, after: Json): void {
    if (direction === "output") return;
    for (const name of LOWER)
      if (typeof after[name] === "number" && after[name] > numberOr(before[name], -Infinity))
        this.found.push(`${at}: ${name} became ${after[name]}`);
    for (const name of UPPER)
      if (typeof after[name] === "number" && after[name] < numberOr(before[name], Infinity))
        this.found.push(`${at}: ${name} became ${after[name]}`);
  }

  #properties(at: string, direction: Direction, before: Json, after: Json): void {
    const left = objectOf(before.properties);
    const right = objectOf(after.properties);
    for (const [name, schema] of Object.entries(left)) {
      if (name in right) this.schema(`${at}.${name}`, direction, schema, right[name]);
      else this.found.push(`${at}.${name}: is gone`);
    }
    const required = [new Set(listOf(before.required)), new Set(listOf(after.required))] as const;
    const [fixed, now] = direction === "input" ? [required[1], required[0]] : required;
    for (const name of fixed)
      if (!now.has(name) && (direction === "input" || String(name) in right))
        this.found.push(
          direction === "input"
            ? `${at}.${name}: is required now`
            : `${at}.${name}: may be missing now`,
        );
  }

  operation(at: string, before: Json, after: Json): void {
    const known = new Map(listOf(before.parameters).map((each) => [parameterName(each), each]));
    const now = new Map(listOf(after.parameters).map((each) => [parameterName(each), each]));
    for (const [name, parameter] of known) {
      const successor = now.get(name);
      if (successor === undefined) this.found.push(`${at}: parameter ${name} is gone`);
      else
        this.schema(
          `${at} ${name}`,
          "input",
          objectOf(parameter).schema,
          objectOf(successor).schema,
        );
    }
    for (const [name, parameter] of now)
      if (objectOf(parameter).required === true && objectOf(known.get(name)).required !== true)
        this.found.push(`${at}: parameter ${name} is required now`);
    this.#content(`${at} body`, "input", before.requestBody, after.requestBody);
    const answers = objectOf(after.responses);
    for (const [status, answer] of Object.entries(objectOf(before.responses))) {
      if (!(status in answers)) this.found.push(`${at}: the answer ${status} is gone`);
      else this.#content(`${at} ${status}`, "output", answer, answers[status]);
    }
  }

  #content(at: string, direction: Direction, before: unknown, after: unknown): void {
    const successors = objectOf(objectOf(after).content);
    for (const [type, { schema }] of Object.entries(objectOf(objectOf(before).content)).map(
      ([name, media]) => [name, objectOf(media)] as const,
    )) {
      if (type in successors) this.schema(at, direction, schema, objectOf(successors[type]).schema);
      else this.found.push(`${at}: ${type} is gone`);
    }
    if (direction === "input" && before === undefined && objectOf(after).required === true)
      this.found.push(`${at}: is required now`);
  }
}

const numberOr = (value: unknown, otherwise: number) =>
  typeof value === "number" ? value : otherwise;

const parameterName = (parameter: unknown): string => {
  const { in: place, name, $ref } = objectOf(parameter);
  return typeof $ref === "string" ? $ref : `${place} ${name}`;
};

function resolved(schema: unknown, document: Json): Json {
  const { $ref } = objectOf(schema);
  if (typeof $ref !== "string") return objectOf(schema);
  const target = $ref
    .slice(2)
    .split("/")
    .reduce<Json>((node, key) => objectOf(node[key]), document);
  return resolved(target, document);
}

/** The schema itself, or its alternatives. */
function alternatives(schema: unknown, document: Json): readonly Json[] {
  const node = resolved(schema, document);
  const parts = [...listOf(node.anyOf), ...listOf(node.oneOf)];
  return parts.length === 0 ? [node] : parts.flatMap((part) => alternatives(part, document));
}

/**
 * The schema of a value other than null; empty if there are several alternatives, of which only
 * types and enum values are compared.
 */
function withoutNull(schema: unknown, document: Json): Json {
  const [only = {}, ...others] = alternatives(schema, document).filter(
    ({ type }) => type !== "null",
  );
  return others.length === 0 ? only : {};
}

/** The declared types, else the types of its enum values. */
const typesOf = (schema: Json, document: Json): ReadonlySet<string> =>
  new Set(
    alternatives(schema, document).flatMap((part) => {
      const named = (Array.isArray(part.type) ? part.type : [part.type]).filter(
        (type) => typeof type === "string",
      );
      const choices = part.const === undefined ? listOf(part.enum) : [part.const];
      return named.length > 0 ? named : choices.map((value) => typeof value);
    }),
  );

/** Returns null if any value of its types is allowed. */
function choicesOf(schema: Json, document: Json): ReadonlySet<string> | null {
  const each = alternatives(schema, document).filter(({ type }) => type !== "null");
  if (each.some((part) => part.enum === undefined && part.const === undefined)) return null;
  return new Set(
    each
      .flatMap((part) => (part.const === undefined ? listOf(part.enum) : [part.const]))
      .map(String),
  );
}

/** One line per breaking change. */
export function breakingChanges(before: object, after: object): string[] {
  const comparison = new Comparison(objectOf(before), objectOf(after));
  const sections = [
    ["", objectOf(before).paths, objectOf(after).paths],
    ["webhook ", objectOf(before).webhooks, objectOf(after).webhooks],
  ] as const;
  for (const [label, known, now] of sections)
    for (const [path, operations] of Object.entries(objectOf(known)))
      for (const [method, operation] of Object.entries(objectOf(operations))) {
        const at = `${label}${method.toUpperCase()} ${path}`;
        const successor = objectOf(objectOf(now)[path])[method];
        if (!isObject(successor)) comparison.found.push(`${at}: is gone`);
        else if (label === "") comparison.operation(at, objectOf(operation), successor);
        else
          comparison.schema(at, "output", bodySchema(objectOf(operation)), bodySchema(successor));
      }
  return comparison.found;
}

/** The API sends webhook bodies to tenants, so they count as output. */
const bodySchema = (operation: Json): unknown =>
  objectOf(objectOf(objectOf(operation.requestBody).content)["application/json"]).schema;
