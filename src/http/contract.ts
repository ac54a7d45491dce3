/**
 * A contract defines everything about one route: method, path, the Zod schemas for validation and for the
 * OpenAPI document, and possible errors. Handlers are bound to contracts separately, so that the document can
 * be generated without a running server.
 */
import type { z } from "zod";
import type { Author } from "../core/author.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { Source } from "../features/identity/dependencies.ts";
import type { ActiveSession } from "../features/identity/sessions.ts";
import type { AuditDetails } from "../features/identity/stores.ts";
import type { KeyLimits, KeyScope } from "../features/key/key-limits.ts";
import type { Role } from "./contracts/operation.ts";
import type { Actor } from "./request-context.ts";

type Method = "GET" | "POST" | "PATCH" | "DELETE";

type ParamsOf<Path extends string> = Path extends `${string}{id}${string}{delivery_id}${string}`
  ? { readonly id: number; readonly delivery_id: string }
  : Path extends `${string}{id}${string}{number}${string}`
    ? { readonly id: number; readonly number: number }
    : Path extends `${string}{id}${string}`
      ? { readonly id: number }
      : Path extends `${string}{uuid}${string}`
        ? { readonly uuid: string }
        : Path extends `${string}{checkout_id}${string}`
          ? { readonly checkout_id: string }
          : Path extends `${string}{month}${string}`
            ? { readonly month: string }
            : Record<never, never>;

export interface Contract<
  Path extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly operationId: string;
  readonly method: Method;
  /**
   * Path below the mount: `/agents/{id}`. `{id}` and `{number}` are positive integers, `{uuid}` a call's
   * UUID, `{delivery_id}` `del_…`, `{checkout_id}` `chk_…`, `{month}` `2026-11`.
   */
  readonly path: Path;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Name of the resource for "… not found". */
  readonly noun?: string;
  readonly query?: Query;
  readonly body?: Body;
  /** If this field contains bytes that are not UTF-8, the error names this field. */
  readonly textField?: string;
  /** Body limit if it differs from `[limits] body_bytes`. */
  readonly bodyBytesMax?: number;
  readonly status?: number;
  readonly reply: Reply;
  /** Default: application/json. */
  readonly replyType?:
    | "text/plain"
    | "text/csv"
    | "text/html"
    | "audio/mpeg"
    | "audio/wav"
    | "application/vnd.tcpdump.pcap";
  /** Error codes in addition to those of every route (401, 404 for the path, 405, 413, 429, 500, 503). */
  readonly errors: readonly ErrorCode[];
  /** True: no API key needed. */
  readonly open?: boolean;
  /** Minimum role of a session. Default: viewer for GET, else member. */
  readonly role?: Role;
  /** Required scope of an API key. Default: `read` for GET, else `manage`. */
  readonly keyScope?: KeyScope;
  /** The session must have signed in or re-authenticated within the last 15 minutes. */
  readonly recent?: boolean;
  /**
   * Forbidden for an operator who impersonates the tenant: routes that reveal secrets, move money or add
   * people.
   */
  readonly notWhenActing?: true;
  /** The response contains a one-time secret, so a replay goes only to the same key or session. */
  readonly answersSecret?: true;
  /**
   * The audit log records the record's name, and old and new values of the requested fields. For settings
   * only, not for personal data.
   */
  readonly recordsChanges?: true;
  /**
   * Adds audit log entries for GETs that export personal data, and for API key requests with effects on
   * people or money. Frequent API writes of calls and contacts are left out, because they would fill the log.
   */
  readonly audited?: boolean;
  /**
   * The GET's response depends only on tenant, path, query and database; `today`: also on the current day in
   * the tenant's time zone. It is recomputed only after a commit (core/query-cache.ts).
   */
  readonly cacheable?: true | "today";
  /** A POST that replaces the record shown by GET at the same path. Accepts `If-Match` as a PATCH does. */
  readonly versioned?: true;
  /** Number of requests that it counts for in the rate limit. Default: 1. */
  readonly weight?: number;
  /** `user`: concerns the signed-in person, independent of the active tenant. Default: `tenant`. */
  readonly scope?: "tenant" | "user";
}

export const requiredRole = (contract: Pick<Contract, "method" | "role">): Role =>
  contract.role ?? (contract.method === "GET" ? "viewer" : "member");

export const requiredScope = (contract: Pick<Contract, "method" | "keyScope">): KeyScope =>
  contract.keyScope ?? (contract.method === "GET" ? "read" : "manage");

/** The browser that sent a dashboard request. */
export interface Browser {
  readonly source: Source;
  /** Token of the session cookie, not yet verified. */
  readonly token: string | null;
  /** The `scheme://host[:port]` that the browser used. */
  readonly origin: string;
  /** Sets the session cookie in the response; "" deletes it. */
  setSessionToken(token: string): void;
  /** Sets the person that the audit log entry is about. */
  about(actor: Actor): void;
}

export interface ApiRequest<
  Path extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> {
  readonly tenantId: number;
  /** 0: the request used a session. */
  readonly keyId: number;
  /** Limits of the API key. A session has none. */
  readonly keyLimits: KeyLimits;
  /** null: the request used an API key, or nobody is signed in (open routes). */
  readonly session: ActiveSession | null;
  readonly browser: Browser;
  /** Adds subject or changes to the audit log entry, for routes without `recordsChanges`. Never caller data. */
  readonly note: (details: Pick<AuditDetails, "subject" | "changes">) => void;
  readonly params: ParamsOf<Path>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
  /** The raw request, for headers such as Range. */
  readonly http: Request;
}

/** Author of a change made by a request. */
export const authorOf = ({ session, keyId }: Pick<ApiRequest, "session" | "keyId">): Author =>
  session ? { kind: "member", id: session.user.id } : { kind: "key", id: keyId };

export interface Route {
  readonly contract: Contract;
  readonly handle: (request: ApiRequest) => Promise<unknown>;
}

type PathOf<At extends string> = At extends `${Method} ${infer Path}` ? Path : never;

type Definition<
  At extends string,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Reply extends z.ZodType,
> = Omit<Contract<PathOf<At>, Query, Body, Reply>, "method" | "path" | "errors"> & {
  /** Method and path: `GET /agents/{id}`. */
  readonly at: At;
  readonly errors?: readonly ErrorCode[];
};

/** Identity function that preserves the literal types for `route`. */
export function contract<
  const At extends `${Method} /${string}`,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Reply extends z.ZodType,
>({
  at,
  errors = [],
  ...definition
}: Definition<At, Query, Body, Reply>): Contract<PathOf<At>, Query, Body, Reply> {
  const [method, path] = at.split(" ") as [Method, PathOf<At>];
  return { ...definition, method, path, errors };
}

/** The single record in a response: `{ ok, agent: {…} }`. */
export const recordIn = (reply: unknown): Readonly<Record<string, unknown>> | null =>
  isValues(reply) ? (Object.values(reply).find(isValues) ?? null) : null;

export const isValues = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A response that is already JSON text. */
export class WrittenJson {
  constructor(readonly json: string) {}
}

/**
 * Binds a handler: `route(contract)(handler)`. Two steps, so that the handler is checked against the
 * contract's types alone. The one cast is safe, because the pipeline has validated the input.
 */
export const route =
  <
    const Path extends string,
    Query extends z.ZodObject,
    Body extends z.ZodType,
    Reply extends z.ZodType,
  >(
    definition: Contract<Path, Query, Body, Reply>,
  ) =>
  (
    handle: (
      request: ApiRequest<Path, Query, Body>,
    ) => Promise<z.input<Reply> | WrittenJson | Response>,
  ): Route => ({
    contract: definition,
    handle: handle as unknown as Route["handle"],
  });

/** The same for responses other than JSON: the handler creates the whole response. */
export const rawRoute =
  <const Path extends string, Query extends z.ZodObject, Body extends z.ZodType>(
    definition: Contract<Path, Query, Body>,
  ) =>
  (handle: (request: ApiRequest<Path, Query, Body>) => Promise<Response>): Route => ({
    contract: definition,
    handle: handle as unknown as Route["handle"],
  });
