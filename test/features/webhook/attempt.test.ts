/** One delivery attempt: the request to the HTTP client, and the outcome of each answer. */
import { expect, test } from "bun:test";
import { attemptDelivery } from "../../../src/features/webhook/attempt.ts";
import type {
  OutboundHttpRequest,
  OutboundHttpResponse,
} from "../../../src/platform/net/outbound-http.ts";
import { OutboundHttpError } from "../../../src/platform/net/outbound-http-error.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const SENT = {
  url: "https://hooks.example/",
  secret: "s",
  deliveryId: "del_1",
  type: "t",
  body: "{}",
};

async function attempt(answer: () => Promise<OutboundHttpResponse>) {
  const clock = fakeClock(1_795_000_000_499);
  await clock.advance(500);
  const requests: OutboundHttpRequest[] = [];
  const client = {
    async request(request: OutboundHttpRequest) {
      requests.push(request);
      await clock.advance(120);
      return answer();
    },
  };
  const { signal } = new AbortController();
  return { requests, result: await attemptDelivery(client, clock, SENT, 8_000, signal) };
}
const answered = (status: number, headers: Record<string, string> = {}) =>
  attempt(async () => ({ status, headers, body: Buffer.alloc(0) }));
const failed = (error: Error) => attempt(() => Promise.reject(error));

test("requests the status only, over a kept connection, and reads at most 16 KB of an answer", async () => {
  const { requests } = await answered(200);
  expect(requests).toMatchObject([
    {
      method: "POST",
      timeoutMs: 8_000,
      statusOnly: true,
      mayReuse: true,
      responseBytesMax: 16_384,
    },
  ]);
  expect(requests[0]?.headers["X-LV-Timestamp"]).toBe("1795000000");
});

test("200 to 299 count as delivered, and a redirect has its own error", async () => {
  const redirect = (status: number) => `redirects are not followed (HTTP ${status})`;
  const other = (status: number) => `the receiver returned HTTP ${status}`;
  const outcomes = {
    199: other(199),
    200: null,
    299: null,
    300: redirect(300),
    399: redirect(399),
  };
  for (const [status, error] of Object.entries({ ...outcomes, 400: other(400) }))
    expect((await answered(Number(status))).result).toEqual({
      delivered: error === null,
      httpStatus: Number(status),
      durationMs: 120,
      error,
      retryAfterMs: null,
      gone: false,
      abandoned: false,
    });
});

test("410 means gone, and Retry-After is read", async () => {
  expect((await answered(410)).result).toMatchObject({ delivered: false, gone: true });
  for (const status of [409, 411]) expect((await answered(status)).result.gone).toBe(false);
  expect((await answered(503, { "retry-after": "7" })).result.retryAfterMs).toBe(7_000);
});

test("without an answer the error is reported; only an aborted attempt counts as abandoned", async () => {
  const nothing = { delivered: false, httpStatus: null, retryAfterMs: null, gone: false };
  const timeout = await failed(new OutboundHttpError("timeout", "no answer"));
  const told = { ...nothing, durationMs: 120, error: "no answer", abandoned: false };
  expect(timeout.result).toEqual(told);
  const aborted = await failed(new OutboundHttpError("aborted", "abandoned"));
  expect(aborted.result).toEqual({ ...told, error: "abandoned", abandoned: true });
  const unknown = await failed(new Error("secret detail"));
  expect(unknown.result).toEqual({ ...told, error: "the request could not be sent" });
});
