/**
 * Tools of rehearsal calls over HTTPS on loopback: each call's path answers as its scenario
 * specifies.
 */
import { type Clock, sleep } from "../../core/clock.ts";
import { isObject, type JsonObject, parseJson } from "../../core/json.ts";
import { NOT_LIVE, type RehearsedTool } from "../../features/rehearsal/rehearsed-call.ts";
import type { Scenario } from "../../features/rehearsal/scenario.ts";
import type { LiveTools } from "../../features/rehearsal/text-call.ts";
import type { DemoCertificates } from "../company/certificate.ts";

/** Requests to the tools of one call. */
export interface ToolLog {
  readonly tools: RehearsedTool[];
  readonly unanswered: Set<string>;
  /** Number of unanswered requests. */
  running: number;
  readonly answers: Scenario["tools"];
  /** Calls the tool's real URL if the scenario says `live`; null: not supported here. */
  readonly live: ((tool: string, values: JsonObject) => ReturnType<LiveTools>) | null;
  nowMs(): number;
}

const BODY_BYTES_MAX = 256 * 1024;

export class ToolServer {
  readonly #logs = new Map<string, ToolLog>();
  readonly #server: Bun.Server<undefined>;

  constructor(
    private readonly host: string,
    { certificate: cert, key }: DemoCertificates,
    private readonly clock: Clock,
  ) {
    this.#server = Bun.serve({
      hostname: host,
      port: 0,
      maxRequestBodySize: BODY_BYTES_MAX,
      tls: { cert, key },
      fetch: (request) => this.#answer(request),
      error: () => new Response(null, { status: 400 }),
    });
  }

  /** Starts to answer `urlOf(name, tool)`. */
  add(name: string, log: ToolLog): void {
    this.#logs.set(name, log);
  }

  urlOf(name: string, tool: string): string {
    return `https://${this.host}:${this.#server.port}/${name}/${tool}`;
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const [, name = "", tool = ""] = new URL(request.url).pathname.split("/");
    const log = this.#logs.get(name);
    if (!log) return new Response(null, { status: 404 });
    const body = parseJson(await request.text());
    const given = isObject(body) && isObject(body.arguments) ? body.arguments : {};
    log.running++;
    try {
      return await this.#respond(log, tool, given);
    } finally {
      log.running--;
    }
  }

  async #respond(log: ToolLog, tool: string, values: JsonObject): Promise<Response> {
    const atMs = log.nowMs();
    const answer = log.answers[tool];
    if (!answer || (answer.live && !log.live)) log.unanswered.add(tool);
    if (answer && answer.delay_ms > 0) await sleep(this.clock, answer.delay_ms);
    const real = answer?.live && log.live ? await log.live(tool, values) : null;
    const ok = real?.ok ?? answer?.answer !== undefined;
    const given = answer?.answer ?? null;
    const refusal = answer?.live ? NOT_LIVE : (answer?.fails ?? "no answer");
    const output = real ? real.output : ok ? given : { error: refusal };
    const durationMs = Math.round(log.nowMs() - atMs);
    log.tools.push({ tool, arguments: values, ok, output, atMs, durationMs });
    return Response.json(output, { status: ok ? 200 : 500 });
  }
}
