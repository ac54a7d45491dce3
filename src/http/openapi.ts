/**
 * Generates the OpenAPI 3.1 document from the contracts. The validating schemas are also the documented ones,
 * and the possible errors of a route follow from its input.
 */
import { z } from "zod";
import { type Contract, requiredScope } from "./contract.ts";
import { bodyFields } from "./contracts/check.ts";
import { requirementOf } from "./contracts/schema.ts";
import { EXPLANATIONS, INTRODUCTION, TAGS } from "./openapi-texts.ts";
import { webhooksSection } from "./openapi-webhooks.ts";
import { statusOf } from "./problem.ts";
import { answersVersion, takesIfMatch, versionedPaths } from "./versions.ts";

type Json = Record<string, unknown>;

const ErrorBody = z
  .strictObject({
    ok: z.literal(false),
    error: z.string().meta({
      description: "Error code. Doesn't change between releases.",
      examples: ["not_found"],
    }),
    message: z.string().meta({ description: "Description of the error and how to fix it." }),
    field: z
      .string()
      .nullable()
      .meta({ description: "Name of the invalid field or parameter. `null` if there is none." }),
    request_id: z
      .string()
      .meta({ description: "Id of the request, as in the header `X-Request-Id`." }),
  })
  .meta({ id: "Error" });

const DashboardErrorBody = ErrorBody.extend({
  reason: z.string().optional().meta({ description: "Code of the message, for translation." }),
  params: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .optional()
    .meta({ description: "Values for the placeholders of that message." }),
}).meta({ id: "Error" });

/** Differences between the documents of REST v1 and the dashboard. */
export interface DocumentFrame {
  readonly title: string;
  readonly introduction: string;
  readonly servers: readonly Json[];
  readonly security: readonly Json[];
  readonly securitySchemes: Json;
  readonly tags: readonly (readonly [string, string])[];
  /** Webhook events. Missing: none. */
  readonly webhooks?: (show: Show) => Json;
}

const REST_FRAME: DocumentFrame = {
  title: "Linevoice Voice Agent Telephony API",
  introduction: INTRODUCTION,
  servers: [{ url: "/api/v1" }, { url: "/v1", description: "Alias of `/api/v1`." }],
  security: [{ bearer: [] }, { apiKey: [] }],
  securitySchemes: {
    bearer: { type: "http", scheme: "bearer", description: "`Bearer lv_live_…`" },
    apiKey: { type: "apiKey", in: "header", name: "X-LV-Api-Key" },
  },
  tags: TAGS,
  webhooks: webhooksSection,
};

export function openApiDocument(
  contracts: readonly Contract[],
  version: string,
  frame: DocumentFrame = REST_FRAME,
): Json {
  const schemas: Json = {};
  const show = (schema: z.ZodType, io: "input" | "output") => shownSchema(schema, io, schemas);
  const paths: Record<string, Json> = {};
  const isRest = frame === REST_FRAME;
  show(isRest ? ErrorBody : DashboardErrorBody, "output");
  const versioned = versionedPaths(contracts);
  for (const contract of isRest ? contracts.map(withScopeError) : contracts) {
    const path = paths[contract.path] ?? {};
    const hasVersions = versioned.has(contract.path);
    path[contract.method.toLowerCase()] = operation(contract, show, isRest, hasVersions);
    paths[contract.path] = path;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: frame.title,
      version: "1",
      description: `${frame.introduction}\n\nServed by linevoice ${version}.`,
      license: { name: "GPL-3.0-or-later", identifier: "GPL-3.0-or-later" },
    },
    servers: frame.servers,
    security: frame.security,
    tags: frame.tags.map(([name, description]) => ({ name, description })),
    paths,
    ...(frame.webhooks ? { webhooks: frame.webhooks(show) } : {}),
    components: {
      schemas,
      securitySchemes: frame.securitySchemes,
      parameters: HEADER_PARAMETERS,
      headers: COMMON_HEADERS,
    },
  };
}

const withScopeError = (contract: Contract): Contract =>
  contract.open
    ? contract
    : { ...contract, errors: [...contract.errors, "insufficient_scope" as const] };

const header = (description: string, type: string) => ({ description, schema: { type } });

const HEADER_PARAMETERS: Json = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Key that makes a retry safe for 24 hours: the first response is repeated, unless it was 429 or 5xx. The same key with another body returns 409.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
    example: "order-1042",
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description:
      "`ETag` of the record as you read it. If the record has changed since, the response is 409 `conflict`.",
    schema: { type: "string" },
    example: '"2f9x0c1k7m3q"',
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description:
      "`ETag` of the record as you have it. If it is unchanged, the response is 304 without a body.",
    schema: { type: "string" },
    example: '"2f9x0c1k7m3q"',
  },
};

const COMMON_HEADERS: Json = {
  RequestId: header(
    "Id of the request. If the request had a valid `X-Request-Id`, the same.",
    "string",
  ),
  RateLimitLimit: header("Requests per minute for this key.", "integer"),
  RateLimitRemaining: header("Number of requests left.", "integer"),
  RateLimitReset: header("Seconds until another request is allowed.", "integer"),
  RetryAfter: header("Seconds to wait before the next attempt.", "integer"),
  ETag: header("Version of the record. Send it as `If-Match` with the next change.", "string"),
  FileETag: header(
    "Version of the file. Send it as `If-Range` with further range requests.",
    "string",
  ),
  IdempotencyReplayed: header(
    "`true` if this is the stored response to the `Idempotency-Key`.",
    "string",
  ),
  Allow: header("Methods that the path allows.", "string"),
  WwwAuthenticate: header("Authentication scheme, `Bearer`.", "string"),
  AcceptRanges: header("Unit of ranges, `bytes`.", "string"),
  ContentRange: header("Range and total size in bytes.", "string"),
  ContentDisposition: header("File name of the download.", "string"),
};

type Show = (schema: z.ZodType, io: "input" | "output") => Json;

/** Required key scope, as roles of its scheme (OpenAPI 3.1, Security Requirement Object). */
function securityOf(contract: Contract): Json[] {
  const scope = requiredScope(contract);
  return [{ bearer: [scope] }, { apiKey: [scope] }];
}

/** Includes the weight of a heavy request, which clients need for the rate limit. */
function descriptionOf({ description = "", weight = 1 }: Contract): Json {
  if (weight <= 1) return description === "" ? {} : { description };
  const counts = `Counts as ${weight} requests of the rate limit.`;
  return { description: `${description} ${counts}`.trim(), "x-rate-limit-weight": weight };
}

function operation(contract: Contract, show: Show, scoped: boolean, versioned: boolean): Json {
  const parameters = [...pathParameters(contract), ...queryParameters(contract, show)];
  if (contract.method === "POST")
    parameters.push({ $ref: "#/components/parameters/IdempotencyKey" });
  if (versioned && takesIfMatch(contract))
    parameters.push({ $ref: "#/components/parameters/IfMatch" });
  if (versioned && contract.method === "GET")
    parameters.push({ $ref: "#/components/parameters/IfNoneMatch" });
  return {
    operationId: contract.operationId,
    tags: [contract.tag],
    summary: contract.summary,
    ...descriptionOf(contract),
    ...(contract.open ? { security: [] } : scoped ? { security: securityOf(contract) } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(contract.body
      ? {
          requestBody: {
            required: true,
            content: { "application/json": { schema: show(contract.body, "input") } },
          },
        }
      : {}),
    responses: { ...success(contract, show, versioned), ...failures(contract, versioned) },
  };
}

const deliveryParameter: Json = {
  name: "delivery_id",
  in: "path",
  required: true,
  description: "Id of the delivery, `del_…`.",
  schema: { type: "string", pattern: "^del_[0-9a-f]{32}$" },
  example: `del_${"0".repeat(32)}`,
};

const checkoutParameter: Json = {
  name: "checkout_id",
  in: "path",
  required: true,
  description: "Id of the checkout.",
  schema: { type: "string", pattern: "^chk_[0-9a-f]{32}$" },
  example: `chk_${"0".repeat(32)}`,
};

const numberParameter: Json = {
  name: "number",
  in: "path",
  required: true,
  description: "Number of the version, or id of the scenario.",
  schema: { type: "integer", minimum: 1 },
  example: 1,
};

const monthParameter: Json = {
  name: "month",
  in: "path",
  required: true,
  description: "Calendar month in the tenant's time zone, `YYYY-MM`.",
  schema: { type: "string", pattern: "^20[0-9]{2}-(0[1-9]|1[0-2])$" },
  example: "2026-11",
};

function pathParameters(contract: Contract): Json[] {
  if (contract.path.includes("{id}"))
    return [
      {
        name: "id",
        in: "path",
        required: true,
        description: `Id of the ${contract.noun ?? "record"}.`,
        schema: { type: "integer", minimum: 1 },
        example: 1,
      },
      ...(contract.path.includes("{delivery_id}") ? [deliveryParameter] : []),
      ...(contract.path.includes("{number}") ? [numberParameter] : []),
    ];
  if (contract.path.includes("{uuid}"))
    return [
      {
        name: "uuid",
        in: "path",
        required: true,
        description: `UUID of the ${contract.noun ?? "call"}.`,
        schema: { type: "string", format: "uuid" },
        example: "019aa1b2-0000-7000-8000-000000000001",
      },
    ];
  if (contract.path.includes("{checkout_id}")) return [checkoutParameter];
  if (contract.path.includes("{month}")) return [monthParameter];
  return [];
}

function queryParameters(contract: Contract, show: Show): Json[] {
  return Object.entries(contract.query?.shape ?? {}).map(([name, field]) => {
    const schema = show(field as z.ZodType, "input");
    const { description, examples, ...rest } = schema as {
      description?: string;
      examples?: unknown[];
    };
    return {
      name,
      in: "query",
      required: !(field as z.ZodType).safeParse(undefined).success,
      description,
      schema: rest,
      ...(examples?.[0] === undefined ? {} : { example: examples[0] }),
    };
  });
}

const refer = (name: string) => ({ $ref: `#/components/headers/${name}` });

const RATE_HEADERS: Json = {
  "RateLimit-Limit": refer("RateLimitLimit"),
  "RateLimit-Remaining": refer("RateLimitRemaining"),
  "RateLimit-Reset": refer("RateLimitReset"),
};
const REPLAYED: Json = { "Idempotency-Replayed": refer("IdempotencyReplayed") };
const FILE: Json = { "Content-Disposition": refer("ContentDisposition") };
const RANGES: Json = { "Accept-Ranges": refer("AcceptRanges"), ETag: refer("FileETag") };
const RANGE: Json = { ...RANGES, "Content-Range": refer("ContentRange") };

const commonHeaders = (contract: Contract): Json => ({
  "X-Request-Id": refer("RequestId"),
  ...(contract.open ? {} : RATE_HEADERS),
});

function success(contract: Contract, show: Show, versioned: boolean): Json {
  const type = contract.replyType ?? "application/json";
  const answer = (description: string, own: Json): Json => ({
    description,
    headers: { ...commonHeaders(contract), ...own },
    content: { [type]: { schema: show(contract.reply, "output") } },
  });
  const isAudio = type === "audio/mpeg";
  const hasVersion = versioned && answersVersion(contract);
  const own = {
    ...(hasVersion ? { ETag: refer("ETag") } : {}),
    ...(contract.method === "POST" ? REPLAYED : {}),
    ...(isAudio || type === "text/csv" ? FILE : {}),
    ...(isAudio ? RANGES : {}),
  };
  const responses: Json = { [contract.status ?? 200]: answer("The operation succeeded.", own) };
  if (isAudio) {
    responses[206] = answer("The requested part of the file.", { ...FILE, ...RANGE });
    responses[416] = {
      description: "The range starts after the end of the file.",
      headers: { ...commonHeaders(contract), ...RANGE },
    };
  }
  if (hasVersion && contract.method === "GET")
    responses[304] = {
      description: "The record is unchanged since the version in `If-None-Match`. No body.",
      headers: { ...commonHeaders(contract), ...own },
    };
  return responses;
}

/** All error codes of the route, by status. */
export function errorCodes(contract: Contract, versioned = false): string[] {
  const codes = new Set<string>(contract.errors);
  if (!contract.open) for (const code of ["unauthorized", "rate_limited"]) codes.add(code);
  if (contract.path.includes("{")) codes.add("not_found");
  for (const name of Object.keys(contract.query?.shape ?? {})) codes.add(`valid_${name}_required`);
  for (const name of contract.body ? bodyFields(contract.body) : [])
    codes.add(`valid_${name}_required`);
  codes.add("unknown_field");
  if (contract.method === "POST" || contract.method === "PATCH")
    for (const code of ["invalid_json", "payload_too_large"]) codes.add(code);
  if (contract.method === "POST")
    for (const code of ["conflict", "valid_idempotency_key_required"]) codes.add(code);
  if (contract.method === "PATCH" || (versioned && takesIfMatch(contract))) codes.add("conflict");
  for (const code of ["method_not_allowed", "engine", "unavailable"]) codes.add(code);
  return [...codes];
}

function failures(contract: Contract, versioned: boolean): Json {
  const byStatus = Map.groupBy(errorCodes(contract, versioned), (code) => statusOf(code as never));
  return Object.fromEntries(
    [...byStatus]
      .sort(([left], [right]) => left - right)
      .map(([status, codes]) => [status, failure(contract, status, codes)]),
  );
}

/** Headers in addition to the common ones. */
const HEADERS_OF: Readonly<Record<number, Json>> = {
  401: { "WWW-Authenticate": refer("WwwAuthenticate") },
  405: { Allow: refer("Allow") },
  429: { "Retry-After": refer("RetryAfter") },
  503: { "Retry-After": refer("RetryAfter") },
};
/** Statuses that the handler of a POST may return; the same Idempotency-Key gets them again. */
const IS_REPLAYED = new Set([400, 403, 404, 409]);

function failure(contract: Contract, status: number, codes: readonly string[]): Json {
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    headers: {
      ...(status === 401 || status === 503
        ? { "X-Request-Id": refer("RequestId") }
        : commonHeaders(contract)),
      ...HEADERS_OF[status],
      ...(contract.method === "POST" && IS_REPLAYED.has(status) ? REPLAYED : {}),
    },
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(codes.map((code) => [code, example(contract, code)])),
      },
    },
  };
}

function example(contract: Contract, code: string): Json {
  const field = /^valid_(\w+)_required$/.exec(code)?.[1] ?? null;
  return {
    value: {
      ok: false,
      error: code,
      message: field ? fieldMessage(contract, field) : (EXPLANATIONS[code] ?? "See the message."),
      field: code === "unknown_field" ? "colour" : field,
      request_id: "91e30b4bfc38fce8b70c8e4ba57a31bf",
    },
  };
}

function fieldMessage(contract: Contract, name: string): string {
  if (name === "idempotency_key")
    return "The header `Idempotency-Key` must be 1 to 255 characters long.";
  const shapes = [contract.query, ...variantsOf(contract.body)].flatMap((schema) =>
    schema?.shape[name] ? [schema.shape[name] as z.ZodType] : [],
  );
  const must = shapes
    .map((schema) => requirementOf(schema)?.must)
    .find((text) => text !== undefined);
  return `\`${name}\` must ${must ?? "have a valid value"}.`;
}

function variantsOf(schema: z.ZodType | undefined): z.ZodObject[] {
  if (schema instanceof z.ZodObject) return [schema];
  if (schema instanceof z.ZodDiscriminatedUnion)
    return schema.options.filter((option) => option instanceof z.ZodObject);
  return [];
}

/** JSON Schema of a Zod schema; named schemas move to the components. */
function shownSchema(schema: z.ZodType, io: "input" | "output", components: Json): Json {
  const made = z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    unrepresentable: "any",
  }) as Json;
  const { $schema: _, $defs, ...rest } = tidied(made, io) as Json & { $defs?: Json };
  for (const [name, definition] of Object.entries($defs ?? {})) components[name] = definition;
  const named = schema.meta()?.id;
  if (typeof named !== "string") return rest;
  if (!("$ref" in rest)) components[named] = rest;
  return { $ref: `#/components/schemas/${named}` };
}

/**
 * Unicode classes as ranges up to U+FFFF: the regular expressions of many clients have no classes, or stop
 * there.
 */
const CLASSES: Readonly<Record<string, string>> = {
  Cc: String.raw`\u0000-\u001f\u007f-\u009f`,
  Cf: String.raw`\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb`,
  Zl: String.raw`\u2028`,
  Zp: String.raw`\u2029`,
};

const portable = (pattern: string): string =>
  pattern.replace(/\\p\{(\w+)\}/g, (written, name: string) => CLASSES[name] ?? written);

/** Replaces component schemas by references, and removes bounds that only mean "a safe integer". */
function tidied(node: unknown, io: "input" | "output"): unknown {
  if (Array.isArray(node)) return node.map((item) => tidied(item, io));
  if (typeof node !== "object" || node === null) return node;
  const result: Json = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === "$ref") result[key] = String(value).replace("#/$defs/", "#/components/schemas/");
    else if (key === "id" && typeof value === "string") continue;
    else if (key === "minimum" && value === Number.MIN_SAFE_INTEGER) continue;
    else if (key === "maximum" && value === Number.MAX_SAFE_INTEGER && io === "output") continue;
    else if (key === "exclusiveMinimum" && value === 0) result.minimum = 1;
    else if (key === "pattern") result.pattern = portable(String(value));
    else result[key] = key === "examples" ? value : tidied(value, io);
  }
  return result;
}
