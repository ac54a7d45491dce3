/**
 * One request through one route: parameters, query, body, idempotency, handler, response. Never throws:
 * failures become error responses.
 */

import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { QueryCache } from "../core/query-cache.ts";
import { parseBody, readBody } from "./body.ts";
import { type Browser, type Contract, type Route, WrittenJson } from "./contract.ts";
import { type Answer, type Idempotency, idempotencyKey } from "./idempotency.ts";
import { type Problem, problemOf } from "./problem.ts";
import {
  jsonResponse,
  notModifiedResponse,
  problemJson,
  problemResponse,
  type RequestContext,
  withCommonHeaders,
} from "./request-context.ts";
import { createResponseOnlyFields, type ResponseOnlyFields } from "./response-only.ts";
import { type AuditDetailsReader, createAuditDetails } from "./session/audit-details.ts";
import { checkBody, checkParams, checkQuery } from "./validate.ts";
import { createVersions, namesVersion, type Versions, versionOf } from "./versions.ts";

interface PipelineDependencies {
  readonly idempotency: Idempotency;
  readonly queryCache: QueryCache;
  readonly bodyBytesMax: number;
  /** The routes of each mount. */
  readonly routes: readonly (readonly Route[])[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Maximum body size of a request without a session or key. */
const OPEN_BODY_BYTES_MAX = 65_536;

/**
 * After this time the sender's rights are checked again. Together with a node's key cache (2 s) it limits the
 * use of a revoked key (decisions 12).
 */
const LATE_BODY_MS = 500;

/** Midnight falls on a quarter of an hour in every time zone. */
const QUARTER_MS = 900_000;

type PathParams = Readonly<Record<string, string | null | undefined>>;

export type Pipeline = (
  route: Route,
  requestContext: RequestContext,
  request: Request,
  params: PathParams,
) => Promise<Response> | Response;

/** Body of a JSON response, and its version if it has one. */
interface Written {
  readonly json: string;
  readonly etag: string | null;
}

export function createPipeline(dependencies: PipelineDependencies): Pipeline {
  const { queryCache, clock, log } = dependencies;
  const versions = createVersions(dependencies.routes);
  const auditDetails = createAuditDetails(dependencies.routes);
  const responseOnly = createResponseOnlyFields(dependencies.routes);

  function answer(
    route: Route,
    requestContext: RequestContext,
    request: Request,
    params: PathParams,
  ): Promise<Response> | Response {
    const { contract } = route;
    if (!contract.cacheable) return executeRequest(route, requestContext, request, params);
    const { tenantId, path, search } = requestContext;
    const quarter = contract.cacheable === "today" ? Math.floor(clock.now() / QUARTER_MS) : "";
    const made = queryCache.read(`${tenantId} ${path}?${search} ${quarter}`, async () => {
      const input = inputOf(contract, requestContext, request, params);
      return written(versions, contract, await route.handle({ ...input, body: {} } as never));
    });
    if (!(made instanceof Promise)) return answered(contract, requestContext, request, made);
    return made.then((result) => answered(contract, requestContext, request, result));
  }

  async function executeRequest(
    route: Route,
    requestContext: RequestContext,
    request: Request,
    params: PathParams,
  ): Promise<Response> {
    const { contract } = route;
    const input = inputOf(contract, requestContext, request, params);
    if (contract.method === "GET" || contract.method === "DELETE") {
      const described = await auditDetails.before(contract, requestContext, readerOf(input));
      const run = () => route.handle({ ...input, body: {} } as never);
      const changed = changedBy(contract, input, request);
      const { result } = await versions.guard(changed, readerOf(input), run);
      described?.(null, null);
      if (result instanceof Response) return withCommonHeaders(requestContext, result);
      return answered(contract, requestContext, request, written(versions, contract, result));
    }
    const asked = { route, requestContext, request, input };
    return await change({ ...dependencies, versions, auditDetails, responseOnly }, asked);
  }

  return (route, requestContext, request, params) => {
    const failed = (error: unknown) => {
      const problem = problemOf(error);
      report(log, requestContext, problem);
      return problemResponse(requestContext, problem);
    };
    try {
      const response = answer(route, requestContext, request, params);
      return response instanceof Promise ? response.catch(failed) : response;
    } catch (error) {
      return failed(error);
    }
  };
}

function written(versions: Versions, contract: Contract, result: unknown): Written {
  const json = result instanceof WrittenJson ? result.json : JSON.stringify(result);
  return { json, etag: versions.has(contract) ? versionOf(json) : null };
}

function answered(
  { status = 200 }: Contract,
  to: RequestContext,
  { headers }: Request,
  { json, etag }: Written,
): Response {
  const known = etag === null ? null : headers.get("if-none-match");
  if (etag !== null && known !== null && namesVersion(known, etag))
    return notModifiedResponse(to, etag);
  return jsonResponse(to, status, json, etag);
}

interface ChangeDependencies extends PipelineDependencies {
  readonly versions: Versions;
  readonly auditDetails: AuditDetailsReader;
  readonly responseOnly: ResponseOnlyFields;
}

interface Changing {
  readonly route: Route;
  readonly requestContext: RequestContext;
  readonly request: Request;
  readonly input: ReturnType<typeof inputOf>;
}

/** POST and PATCH: reads the body, checks `If-Match`, and detects repetitions. */
async function change(
  dependencies: ChangeDependencies,
  { route, requestContext, request, input }: Changing,
): Promise<Response> {
  const { contract } = route;
  const { clock, bodyBytesMax, versions, auditDetails, responseOnly } = dependencies;
  const bytesMax = bytesMaxOf(contract, bodyBytesMax);
  const bytes = await readBody(request, bytesMax, clock, requestContext.onLargeBody);
  if (clock.monotonic() - requestContext.startedAt > LATE_BODY_MS) await requestContext.onLate();
  const changed = changedBy(contract, input, request);
  const status = contract.status ?? 200;
  const read = readerOf(input);
  const perform = () =>
    versions.guard(changed, read, async () => {
      const sent = await responseOnly.without(contract, sentBy(contract, bytes, request), read);
      const body = checkBody(contract, sent);
      const described = await auditDetails.before(contract, requestContext, read);
      const result = await route.handle({ ...input, body } as never);
      described?.(result, body);
      return result;
    });
  // A response about a person goes only to that browser and is never replayed.
  const replayable =
    contract.method === "POST" && requestContext.tenantId !== 0 && !isPersonal(contract);
  const key = replayable ? idempotencyKey(request.headers.get("idempotency-key")) : null;
  const { answersSecret } = contract;
  if (key !== null)
    return await runOnce(dependencies, requestContext, { key, bytes, answersSecret }, async () => {
      const { result, version } = await perform();
      return { status, json: JSON.stringify(result), etag: version };
    });
  const { result, version } = await perform();
  if (result instanceof Response) return withCommonHeaders(requestContext, result);
  return jsonResponse(requestContext, status, JSON.stringify(result), version);
}

/** The record that a request changes, and the version that the sender saw. */
const changedBy = (
  contract: Contract,
  { tenantId, params }: ReturnType<typeof inputOf>,
  { headers }: Request,
) => ({
  contract,
  key: `${tenantId} ${contract.path} ${Object.values(params).join(" ")}`,
  seen: headers.get("if-match"),
});

/** Reads the record to be changed through its GET route. */
const readerOf = (input: ReturnType<typeof inputOf>) => (reader: Route, id?: number) =>
  reader.handle({
    ...input,
    params: id === undefined ? input.params : { id },
    query: {},
    body: {},
  } as never);

const bytesMaxOf = (contract: Contract, bodyBytesMax: number) =>
  contract.open
    ? Math.min(bodyBytesMax, OPEN_BODY_BYTES_MAX)
    : Math.max(bodyBytesMax, contract.bodyBytesMax ?? 0);

interface OnceRequest {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly answersSecret: true | undefined;
}

/** With an Idempotency-Key: stores the first response and replays it for repetitions. */
async function runOnce(
  { idempotency, log }: PipelineDependencies,
  requestContext: RequestContext,
  { key, bytes, answersSecret }: OnceRequest,
  run: () => Promise<Answer>,
): Promise<Response> {
  const { tenantId, path, keyLimits: limits, keyId, session } = requestContext;
  const asker = answersSecret ? (session ? `session:${session.id}` : `key:${keyId}`) : null;
  const sent = { method: "POST", path: withoutMount(path), body: bytes };
  const request = { tenantId, key, ...sent, limits, asker };
  const { status, json, etag, replayed, problem } = await idempotency.once(request, () =>
    run().catch((error) => failed(log, requestContext, error)),
  );
  if (problem) return problemResponse(requestContext, problem);
  const response = jsonResponse(requestContext, status, json, etag);
  if (replayed) response.headers.set("Idempotency-Replayed", "true");
  return response;
}

function failed(log: Log, requestContext: RequestContext, thrown: unknown): Answer {
  const problem = problemOf(thrown);
  report(log, requestContext, problem);
  return { status: problem.status, json: problemJson(requestContext, problem), problem };
}

function report(log: Log, requestContext: RequestContext, problem: Problem): void {
  if (problem.cause === null) return;
  const cause = problem.cause;
  log.error("http.request_failed", {
    request_id: requestContext.requestId,
    path: requestContext.path,
    status: problem.status,
    error: describeError(cause),
    stack: cause instanceof Error ? cause.stack : undefined,
  });
}

function inputOf(
  contract: Contract,
  requestContext: RequestContext,
  request: Request,
  params: PathParams,
) {
  return {
    tenantId: requestContext.tenantId,
    keyId: requestContext.keyId,
    keyLimits: requestContext.keyLimits,
    session: requestContext.session,
    browser: browserOf(requestContext),
    note: (details: RequestContext["details"]) => {
      requestContext.details = details;
    },
    params: checkParams(contract, params),
    query: checkQuery(contract, requestContext.search),
    http: request,
  };
}

const sentBy = (contract: Contract, bytes: Uint8Array, request: Request) =>
  parseBody(bytes, request.headers.get("content-type"), {
    required: contract.body !== undefined,
    textField: contract.textField ?? null,
  });

const isPersonal = (contract: Contract) => contract.open === true || contract.scope === "user";

const browserOf = (requestContext: RequestContext): Browser => ({
  source: { ip: requestContext.origins?.ip ?? "", userAgent: requestContext.userAgent },
  token: requestContext.token,
  origin: requestContext.origins?.own ?? "",
  setSessionToken: (token) => {
    requestContext.newToken = token;
  },
  about: (actor) => {
    requestContext.actor = actor;
  },
});

const withoutMount = (path: string) => path.replace(/^(\/api)?\/v1/, "").replace(/\/+$/, "");
