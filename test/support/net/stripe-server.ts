/**
 * Stripe's side of payments on loopback: the API calls that we use, with Stripe's request encoding
 * and response format, and events signed like Stripe's (HMAC-SHA-256 over `<time>.<body>`).
 */
import { createHmac } from "node:crypto";
import { systemClock } from "../../../src/core/clock.ts";

export const WEBHOOK_SECRET = "whsec_test_secret";

export interface StripeSession {
  readonly id: string;
  readonly client_reference_id: string;
  readonly amount_total: number;
  readonly currency: string;
  /** Epoch seconds. */
  readonly expires_at: number;
  payment_status: "unpaid" | "paid" | "no_payment_required";
  readonly payment_intent: string;
  readonly url: string;
}

export interface StripeRefund {
  readonly id: string;
  readonly amount: number;
  status: "succeeded" | "pending" | "failed";
}

export interface StripeDispute {
  readonly id: string;
  readonly payment_intent: string;
  readonly amount: number;
  status: string;
  readonly balance_transactions: { amount: number }[];
}

export type StripeServer = ReturnType<typeof startStripeServer>;

/** The caller must `stop` it. */
export function startStripeServer() {
  const sessions = new Map<string, StripeSession>();
  const refunds = new Map<string, StripeRefund[]>();
  const disputes = new Map<string, StripeDispute>();
  const requests: string[] = [];
  let events = 0;
  let outage = false;
  let beforeAnswer: ((session: StripeSession) => Promise<void>) | null = null;

  const list = (data: readonly unknown[], url: string) =>
    Response.json({ object: "list", url, has_more: false, data });

  async function createSession(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const id = `cs_test_${sessions.size + 1}`;
    const session: StripeSession = {
      id,
      client_reference_id: form.get("client_reference_id") ?? "",
      amount_total: Number(form.get("line_items[0][price_data][unit_amount]")),
      currency: form.get("line_items[0][price_data][currency]") ?? "",
      expires_at: Number(form.get("expires_at")),
      payment_status: "unpaid",
      payment_intent: `pi_test_${sessions.size + 1}`,
      url: `https://checkout.stripe.test/c/pay/${id}`,
    };
    sessions.set(id, session);
    await beforeAnswer?.(session);
    return Response.json({ object: "checkout.session", mode: form.get("mode"), ...session });
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const url = new URL(request.url);
      requests.push(`${request.method} ${url.pathname}${url.search}`);
      if (request.headers.get("authorization") !== "Bearer sk_test_key")
        return Response.json({ error: { type: "invalid_request_error" } }, { status: 401 });
      if (outage)
        return Response.json(
          { error: { type: "api_error", message: "down" } },
          { status: 500, headers: { "stripe-should-retry": "false" } },
        );
      const [, , resource, second, third] = url.pathname.split("/");
      const payment = url.searchParams.get("payment_intent") ?? "";
      if (resource === "checkout" && request.method === "POST") return createSession(request);
      if (resource === "checkout" && third) {
        const session = sessions.get(third);
        return session
          ? Response.json({ object: "checkout.session", ...session })
          : Response.json({ error: { type: "invalid_request_error" } }, { status: 404 });
      }
      if (resource === "checkout")
        return list(
          [...sessions.values()].filter((session) => session.payment_intent === payment),
          url.pathname,
        );
      if (resource === "refunds") return list(refunds.get(payment) ?? [], url.pathname);
      if (resource === "disputes") return Response.json(disputes.get(second ?? "") ?? {});
      return Response.json({ error: { type: "invalid_request_error" } }, { status: 404 });
    },
  });

  return {
    settings: {
      secretKey: "sk_test_key",
      webhookSecret: WEBHOOK_SECRET,
      baseUrl: `http://127.0.0.1:${server.port}`,
    },
    sessions,
    refunds,
    disputes,
    requests,
    /** The newest session. */
    newest(): StripeSession {
      const session = [...sessions.values()].at(-1);
      if (!session) throw new Error("no session was opened");
      return session;
    },
    setOutage(on: boolean) {
      outage = on;
    },
    /** Called when a session exists but its creator has no response yet. */
    onCreated(listener: ((session: StripeSession) => Promise<void>) | null) {
      beforeAnswer = listener;
    },
    event(type: string, object: object) {
      return {
        id: `evt_test_${++events}`,
        object: "event",
        api_version: "2026-10-28.endive",
        type,
        data: { object },
      };
    },
    stop: () => server.stop(true),
  };
}

export interface SignedOptions {
  readonly secret?: string;
  /** Epoch seconds. */
  readonly atSeconds?: number;
}

export function stripeSignature(body: string, options: SignedOptions = {}): string {
  const at = options.atSeconds ?? Math.floor(systemClock.now() / 1000);
  const hmac = createHmac("sha256", options.secret ?? WEBHOOK_SECRET);
  return `t=${at},v1=${hmac.update(`${at}.${body}`).digest("hex")}`;
}

/** Delivers an event; returns the status. */
export async function deliverEvent(
  base: string,
  event: object,
  options: SignedOptions & { readonly signature?: string } = {},
): Promise<number> {
  const body = JSON.stringify(event);
  const response = await fetch(`${base}/payments/stripe/webhook`, {
    method: "POST",
    headers: {
      "content-type": "application/json; charset=utf-8",
      "stripe-signature": options.signature ?? stripeSignature(body, options),
    },
    body,
  });
  return response.status;
}
