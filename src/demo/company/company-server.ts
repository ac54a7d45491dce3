/**
 * The demo company's web server: HTTPS on loopback with a certificate of the demo's authority. It
 * plays the tenant's part: the endpoint of a tool, and a webhook receiver that verifies every
 * signature as the specification requires.
 */
import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import { verifySignature } from "../../domain/webhook/signature.ts";
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

export interface CompanyServer {
  readonly toolUrl: string;
  readonly webhookUrl: string;
  readonly toolRequests: readonly ToolRequest[];
  readonly events: readonly ReceivedEvent[];
  /** Known after the webhook was created; earlier deliveries fail. */
  setSigningSecret(secret: string): void;
  stop(): Promise<void>;
}

const BODY_BYTES_MAX = 256 * 1024;
const RECORDS_MAX = 1000;

export function startCompanyServer(options: {
  readonly host: string;
  readonly certificates: DemoCertificates;
  readonly toolSecret: { readonly header: string; readonly value: string };
  readonly clock: Clock;
}): CompanyServer {
  const { host, certificates, toolSecret, clock } = options;
  const toolRequests: ToolRequest[] = [];
  const events: ReceivedEvent[] = [];
  let signingSecret: string | null = null;

  async function runTool(request: Request): Promise<Response> {
    const authentic = sameText(request.headers.get(toolSecret.header) ?? "", toolSecret.value);
    const body = (await request.json()) as { arguments?: unknown };
    if (toolRequests.length < RECORDS_MAX)
      toolRequests.push({ authentic, arguments: body.arguments });
    if (!authentic) return Response.json({ error: "wrong secret" }, { status: 401 });
    return Response.json({ message: TOOL.answer });
  }

  async function receiveEvent(request: Request): Promise<Response> {
    const body = await request.text();
    const signature = request.headers.get("x-lv-signature") ?? "";
    const nowUnixSeconds = Math.floor(clock.now() / 1000);
    const authentic =
      signingSecret !== null && verifySignature(signingSecret, signature, body, nowUnixSeconds);
    const event = JSON.parse(body) as { type?: string; data?: { call_id?: string } };
    if (events.length < RECORDS_MAX)
      events.push({
        type: event.type ?? "",
        deliveryId: request.headers.get("x-lv-delivery-id") ?? "",
        authentic,
        callUuid: event.data?.call_id ?? null,
      });
    return new Response(null, { status: authentic ? 204 : 401 });
  }

  const server = Bun.serve({
    hostname: host,
    port: 0,
    maxRequestBodySize: BODY_BYTES_MAX,
    tls: { cert: certificates.certificate, key: certificates.key },
    async fetch(request) {
      const path = new URL(request.url).pathname;
      if (request.method !== "POST") return new Response(null, { status: 405 });
      if (path === "/tools/appointment") return runTool(request);
      if (path === "/webhooks") return receiveEvent(request);
      return new Response(null, { status: 404 });
    },
    error: () => new Response(null, { status: 400 }),
  });
  const origin = `https://${host}:${server.port}`;
  return {
    toolUrl: `${origin}/tools/appointment`,
    webhookUrl: `${origin}/webhooks`,
    toolRequests,
    events,
    setSigningSecret(secret) {
      signingSecret = secret;
    },
    stop: () => server.stop(true),
  };
}

function sameText(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
