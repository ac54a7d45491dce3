/**
 * Endpoint for Stripe's payment events. Open to everybody: billing/payments verifies the signature over the
 * raw body. A body that is too large or stalls is rejected before that.
 */
import type { Elysia } from "elysia";
import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { readBody } from "../../http/body.ts";
import type { HttpDependencies } from "../../http/ports.ts";

const STRIPE_WEBHOOK_PATH = "/payments/stripe/webhook";

const BODY_BYTES_MAX = 524_288;

const answer = (status: number) =>
  Response.json({ ok: status === 200 }, { status, headers: { "cache-control": "no-store" } });

export function stripeWebhookRoute(
  app: Elysia,
  receive: NonNullable<HttpDependencies["stripeEvents"]>,
  clock: Clock,
): void {
  app.route(
    "POST",
    STRIPE_WEBHOOK_PATH,
    async ({ request }) => {
      try {
        const bytes = await readBody(request, BODY_BYTES_MAX, clock);
        const body = new TextDecoder().decode(bytes);
        return answer(await receive(body, request.headers.get("stripe-signature")));
      } catch (error) {
        return answer(error instanceof AppError && error.code === "payload_too_large" ? 413 : 400);
      }
    },
    { parse: "none" },
  );
}
