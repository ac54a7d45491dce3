/**
 * One request through one route: parameters, query, body, idempotency, handler, answer. It never
 * throws: whatever fails becomes an answer of the error shape.
 */
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { KeptReads } from "../store/kept-reads.ts";
import { parseBody, readBody } from "./body.ts";
import type { Browser, Contract, Route } from "./contract.ts";
import {
  type Exchange,
  jsonResponse,
  problemJson,
  problemResponse,
  withCommonHeaders,
} from "./exchange.ts";
import { type Answer, type Idempotency, idempotencyKey } from "./idempotency.ts";
import { type Problem, problemOf } from "./problem.ts";
import { checkBody, checkParams, checkQuery } from "./validate.ts";

export interface PipelineDependencies {
  readonly idempotency: Idempotency;
  readonly keptReads: KeptReads;
  readonly bodyBytesMax: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** What strangers may send. */
const OPEN_BODY_BYTES_MAX = 65_536;

export type PathParams = Readonly<Record<string, string | null | undefined>>;

export type Pipeline = (
  route: Route,
  exchange: Exchange,
  request: Request,
  params: PathParams,
) => Promise<Response>;

export function createPipeline(dependencies: PipelineDependencies): Pipeline {
  const { idempotency, keptReads, bodyBytesMax, clock, log } = dependencies;

  const bytesMaxOf = (contract: Contract) =>
    contract.open ? Math.min(bodyBytesMax, OPEN_BODY_BYTES_MAX) : bodyBytesMax;

  async function answer(
    route: Route,
    exchange: Exchange,
    request: Request,
    params: PathParams,
  ): Promise<Response> {
    const { contract } = route;
    if (!contract.kept) return await answerAnew(route, exchange, request, params);
    const { tenantId, path, search } = exchange;
    const json = await keptReads.read(`${tenantId} ${path}?${search}`, async () => {
      const input = inputOf(contract, exchange, request, params);
      return JSON.stringify(await route.handle({ ...input, body: {} } as never));
    });
    return jsonResponse(exchange, contract.status ?? 200, json);
  }

  async function answerAnew(
    route: Route,
    exchange: Exchange,
    request: Request,
    params: PathParams,
  ): Promise<Response> {
    const { contract } = route;
    const input = inputOf(contract, exchange, request, params);
    if (contract.method === "GET" || contract.method === "DELETE") {
      const result = await route.handle({ ...input, body: {} } as never);
      if (result instanceof Response) return withCommonHeaders(exchange, result);
      return jsonResponse(exchange, contract.status ?? 200, JSON.stringify(result));
    }
    const bytes = await readBody(request, bytesMaxOf(contract), clock);
    const run = async (): Promise<Answer> => {
      const result = await route.handle({
        ...input,
        body: bodyOf(contract, bytes, request),
      } as never);
      return { status: contract.status ?? 200, json: JSON.stringify(result) };
    };
    // What is about a person, or makes one, is answered to that browser alone: never replayed.
    const replayable =
      contract.method === "POST" && exchange.tenantId !== 0 && !isPersonal(contract);
    const key = replayable ? idempotencyKey(request.headers.get("idempotency-key")) : null;
    if (key === null) {
      const { status, json } = await run();
      return jsonResponse(exchange, status, json);
    }
    const kept = await idempotency.once(
      {
        tenantId: exchange.tenantId,
        key,
        method: contract.method,
        path: withoutMount(exchange.path),
        body: bytes,
      },
      () => run().catch((error) => failed(exchange, error)),
    );
    const response = jsonResponse(exchange, kept.status, kept.json);
    if (kept.status === 503) response.headers.set("retry-after", "5");
    if (kept.replayed) response.headers.set("idempotency-replayed", "true");
    return response;
  }

  function failed(exchange: Exchange, thrown: unknown): Answer {
    const problem = problemOf(thrown);
    report(exchange, problem);
    return { status: problem.status, json: problemJson(exchange, problem) };
  }

  function report(exchange: Exchange, problem: Problem): void {
    if (problem.cause === null) return;
    const cause = problem.cause;
    log.error("http_request_failed", {
      request_id: exchange.requestId,
      path: exchange.path,
      status: problem.status,
      error: describeError(cause),
      stack: cause instanceof Error ? cause.stack : undefined,
    });
  }

  return async (route, exchange, request, params) => {
    try {
      return await answer(route, exchange, request, params);
    } catch (error) {
      const problem = problemOf(error);
      report(exchange, problem);
      return problemResponse(exchange, problem);
    }
  };
}

function inputOf(contract: Contract, exchange: Exchange, request: Request, params: PathParams) {
  return {
    tenantId: exchange.tenantId,
    keyId: exchange.keyId,
    keyLimits: exchange.keyLimits,
    session: exchange.session,
    browser: browserOf(exchange),
    params: checkParams(contract, params),
    query: checkQuery(contract, exchange.search),
    http: request,
  };
}

function bodyOf(contract: Contract, bytes: Uint8Array, request: Request): unknown {
  const sent = parseBody(bytes, request.headers.get("content-type"), {
    required: contract.body !== undefined,
    textField: contract.textField ?? null,
  });
  return checkBody(contract, sent);
}

const isPersonal = (contract: Contract) => contract.open === true || contract.scope === "user";

const browserOf = (exchange: Exchange): Browser => ({
  source: { ip: exchange.origins?.ip ?? "", userAgent: exchange.userAgent },
  token: exchange.token,
  origin: exchange.origins?.own ?? "",
  keep: (token) => {
    exchange.newToken = token;
  },
  about: (actor) => {
    exchange.actor = actor;
  },
});

const withoutMount = (path: string) => path.replace(/^(\/api)?\/v1/, "").replace(/\/+$/, "");
