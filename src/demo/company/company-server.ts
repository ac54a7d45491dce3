/**
 * The demo company's web server: HTTPS on loopback with a certificate of the demo's authority. It
 * plays the tenant's part: the endpoint of a tool, and a webhook receiver that verifies every
 * signature as the specification requires.
 */
import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import { verifySignature } from "../../features/webhook/signature.ts";
import { TOOL } from "../script.ts";
import type { DemoCertificates } from "./certificate.ts";

interface ToolRequest {
  readonly authentic: boolean;
  readonly arguments: unknown;
}

interface ReceivedEvent {
  readonly type: string;
  readonly deliveryId: string;
  readonly authentic: boolean;
  readonly callUuid: string | null;
}

const BODY_BYTES_MAX = 256 * 1024;
const RECORDS_MAX = 1000;
const TOOL_PATH = "/tools/appointment";
const WEBHOOK_PATH = "/webhooks";

interface CompanyServerOptions {
  readonly host: string;
  readonly certificates: DemoCertificates;
  readonly toolSecret: { readonly header: string; readonly value: string };
  readonly clock: Clock;
}

/** Serves from its creation until `stop`. */
export class CompanyServer {
  readonly toolRequests: ToolRequest[] = [];
  readonly events: ReceivedEvent[] = [];
  readonly toolUrl: string;
  readonly webhookUrl: string;
  readonly #server: Bun.Server<undefined>;
  #signingSecret: string | null = null;

  constructor(private readonly options: CompanyServerOptions) {
    const { host, certificates } = options;
    this.#server = Bun.serve({
      hostname: host,
      port: 0,
      maxRequestBodySize: BODY_BYTES_MAX,
      tls: { cert: certificates.certificate, key: certificates.key },
      fetch: (request) => this.#answer(request),
      error: () => new Response(null, { status: 400 }),
    });
    const origin = `https://${host}:${this.#server.port}`;
    this.toolUrl = origin + TOOL_PATH;
    this.webhookUrl = origin + WEBHOOK_PATH;
  }

  /** Known after the webhook was created; earlier deliveries fail. */
  setSigningSecret(secret: string): void {
    this.#signingSecret = secret;
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    if (request.method !== "POST") return new Response(null, { status: 405 });
    if (path === TOOL_PATH) return this.#runTool(request);
    if (path === WEBHOOK_PATH) return this.#receiveEvent(request);
    return new Response(null, { status: 404 });
  }

  async #runTool(request: Request): Promise<Response> {
    const { header, value } = this.options.toolSecret;
    const authentic = sameText(request.headers.get(header) ?? "", value);
    const body = (await request.json()) as { arguments?: unknown };
    if (this.toolRequests.length < RECORDS_MAX)
      this.toolRequests.push({ authentic, arguments: body.arguments });
    if (!authentic) return Response.json({ error: "wrong secret" }, { status: 401 });
    return Response.json({ message: TOOL.answer });
  }

  async #receiveEvent(request: Request): Promise<Response> {
    const body = await request.text();
    const signature = request.headers.get("x-lv-signature") ?? "";
    const nowSeconds = Math.floor(this.options.clock.now() / 1000);
    const secret = this.#signingSecret;
    const authentic = secret !== null && verifySignature(secret, signature, body, nowSeconds);
    const event = JSON.parse(body) as { type?: string; data?: { call_id?: string } };
    if (this.events.length < RECORDS_MAX)
      this.events.push({
        type: event.type ?? "",
        deliveryId: request.headers.get("x-lv-delivery-id") ?? "",
        authentic,
        callUuid: event.data?.call_id ?? null,
      });
    return new Response(null, { status: authentic ? 204 : 401 });
  }
}

function sameText(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
