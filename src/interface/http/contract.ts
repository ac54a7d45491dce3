/**
 * A contract says everything about one route: method, path, the Zod schemas that validate it and
 * from which the OpenAPI document is generated, and which errors it may answer. Handlers are bound
 * to contracts separately, so that the document can be made without a running server.
 */
import type { z } from "zod";
import type { Author } from "../../core/author.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { Source } from "../../domain/identity/dependencies.ts";
import type { ActiveSession } from "../../domain/identity/sessions.ts";
import type { AuditDetails } from "../../domain/identity/stores.ts";
import type { KeyLimits, KeyScope } from "../../domain/tenant/key-limits.ts";
import type { Role } from "../contracts/operation.ts";
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
  /** Below the mount: `/agents/{id}`. `{id}` and `{number}` are positive integers, `{uuid}` a call's UUID, `{delivery_id}` `del_…`, `{checkout_id}` `chk_…`, `{month}` `2026-11`. */
  readonly path: Path;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** What the path's id names, for "… not found". */
  readonly noun?: string;
  readonly query?: Query;
  readonly body?: Body;
  /** If this field holds bytes that are not UTF-8, the error names this field. */
  readonly textField?: string;
  /** Where a body may be larger than `[limits] body_bytes`. */
  readonly bodyBytesMax?: number;
  readonly status?: number;
  readonly reply: Reply;
  /** Default application/json. */
  readonly replyType?:
    | "text/plain"
    | "text/csv"
    | "text/html"
    | "audio/mpeg"
    | "audio/wav"
    | "application/vnd.tcpdump.pcap";
  /** In addition to the errors of every route (401, 404 of the path, 405, 413, 429, 500, 503). */
  readonly errors: readonly ErrorCode[];
  /** True: answers without an API key. */
  readonly open?: boolean;
  /** Of a session. Default: viewer for GET, else member. */
  readonly role?: Role;
  /** Of an API key. Default: `read` for GET, else `manage`. */
  readonly keyScope?: KeyScope;
  /** A session must have signed in, or confirmed who it is, in the last 15 minutes. */
  readonly recent?: boolean;
  /** An operator who acts as the tenant may not: what hands out secrets, moves money or adds people. */
  readonly notWhenActing?: true;
  /** The answer has a one-time secret: a repetition is answered only for the same key or session. */
  readonly answersSecret?: true;
  /**
   * The audit log records the name of the record, and old and new values of what the request names. For
   * settings only: not for what is about persons.
   */
  readonly recordsChanges?: true;
  /**
   * The audit log records a GET like a change, because it exports personal data; and it records what an API key does
   * here, because people or money feel it: calls and contacts that a program writes all day would push the rest out.
   */
  readonly audited?: boolean;
  /**
   * A GET whose answer depends only on tenant, path, query and database; `today`: also on which day
   * it is where the tenant is. It is made again only after a commit (core/query-cache.ts), and then.
   */
  readonly cacheable?: true | "today";
  /**
   * A POST that replaces the record that GET shows at the same path. It takes `If-Match`, as a
   * PATCH does.
   */
  readonly versioned?: true;
  /** How many requests of the rate limit it counts for. Default: 1. */
  readonly weight?: number;
  /** `user`: about the person signed in, independent of the active tenant. Default: `tenant`. */
  readonly scope?: "tenant" | "user";
}

export const requiredRole = (contract: Pick<Contract, "method" | "role">): Role =>
  contract.role ?? (contract.method === "GET" ? "viewer" : "member");

export const requiredScope = (contract: Pick<Contract, "method" | "keyScope">): KeyScope =>
  contract.keyScope ?? (contract.method === "GET" ? "read" : "manage");

/** The browser behind a request of the dashboard. */
export interface Browser {
  readonly source: Source;
  /** The token of the session cookie. It may be invalid. */
  readonly token: string | null;
  /** The `scheme://host[:port]` that the browser used to reach us. */
  readonly origin: string;
  /** Sets the session cookie in the answer; "" deletes the cookie. */
  setSessionToken(token: string): void;
  /** Records in the audit log which person the request is about. */
  about(actor: Actor): void;
}

export interface ApiRequest<
  Path extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> {
  readonly tenantId: number;
  /** 0: it came with a session. */
  readonly keyId: number;
  /** The limits of the API key. A session has none. */
  readonly keyLimits: KeyLimits;
  /** null: it came with an API key, or nobody is signed in (open routes). */
  readonly session: ActiveSession | null;
  readonly browser: Browser;
  /** Tells the audit log what the request is done to, where no record of a setting says it. Nothing about callers. */
  readonly note: (details: Pick<AuditDetails, "subject" | "changes">) => void;
  readonly params: ParamsOf<Path>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
  /** The raw request, for headers such as Range. */
  readonly http: Request;
}

/** Who changes something by a request. */
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

/** Keeps the literal types that `route` reads. */
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

/** The one record of an answer: `{ ok, agent: {…} }`. */
export const recordIn = (reply: unknown): Readonly<Record<string, unknown>> | null =>
  isValues(reply) ? (Object.values(reply).find(isValues) ?? null) : null;

export const isValues = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An answer that is JSON already. */
export class WrittenJson {
  constructor(readonly json: string) {}
}

/**
 * Binds a handler: `route(contract)(handler)`, in two steps so that the handler is checked against
 * the contract's types alone. The one cast: the pipeline has validated what those types promise.
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

/** The same for what is not JSON: the handler makes the whole answer. */
export const rawRoute =
  <const Path extends string, Query extends z.ZodObject, Body extends z.ZodType>(
    definition: Contract<Path, Query, Body>,
  ) =>
  (handle: (request: ApiRequest<Path, Query, Body>) => Promise<Response>): Route => ({
    contract: definition,
    handle: handle as unknown as Route["handle"],
  });
