/** Set-up of Stripe's client: headers, time limit and retries. */
import { afterEach, expect, test } from "bun:test";
import { serverOf, stripeClient } from "../../../../src/features/billing/payments/stripe.ts";

const servers: ReturnType<typeof Bun.serve>[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
});

function listen(status: number) {
  const headers: Headers[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      headers.push(request.headers);
      const answer =
        status === 200 ? { object: "list", data: [] } : { error: { type: "api_error" } };
      return Response.json(answer, { status, headers: { "request-id": "req_1" } });
    },
  });
  servers.push(server);
  const settings = { secretKey: "sk", webhookSecret: "wh" };
  return { headers, client: stripeClient({ ...settings, baseUrl: `${server.url.origin}` }) };
}

test("Stripe gets no telemetry about earlier requests, and no request waits longer than 10 s", async () => {
  const { headers, client } = listen(200);
  const stripe = await client();
  for (let asked = 0; asked < 3; asked++) await stripe.refunds.list();
  expect(headers.map((of) => of.get("x-stripe-client-telemetry"))).toEqual([null, null, null]);
  expect(headers[0]?.get("user-agent")).toContain("linevoice");
  expect(await client()).toBe(stripe);
  expect(stripe.getApiField("timeout")).toBe(10_000);
});

test("a failing API is tried three times in all", async () => {
  const { headers, client } = listen(500);
  const stripe = await client();
  const outcome = stripe.refunds.list().then(
    () => "listed",
    (error: Error) => error.name,
  );
  expect(await outcome).toContain("Error");
  expect(headers).toHaveLength(3);
});

test("host, protocol and port come from the address", () => {
  expect(serverOf("https://api.stripe.com")).toEqual({
    protocol: "https",
    host: "api.stripe.com",
    port: 443,
  });
  expect(serverOf("http://stripe.test")).toEqual({
    protocol: "http",
    host: "stripe.test",
    port: 80,
  });
  expect(serverOf("http://127.0.0.1:12111").port).toBe(12_111);
});
