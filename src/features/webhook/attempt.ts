/** One delivery attempt: headers, signature, POST, result. Never throws. */
import type { Clock } from "../../core/clock.ts";
import { parseRetryAfter } from "../../core/retry-schedule.ts";
import type { OutboundHttpClient } from "../../platform/net/outbound-http.ts";
import { OutboundHttpError } from "../../platform/net/outbound-http-error.ts";
import { signatureHeader } from "./signature.ts";

interface Attempt {
  readonly url: string;
  readonly secret: string;
  /** `del_…`, different for each attempt. */
  readonly deliveryId: string;
  readonly type: string;
  readonly body: string;
}

export interface AttemptResult {
  readonly delivered: boolean;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** Why it failed, as text for the tenant; null when delivered. */
  readonly error: string | null;
  readonly retryAfterMs: number | null;
  /** Status 410: the receiver wants no more deliveries. */
  readonly gone: boolean;
  /** True if we aborted it at shutdown: the receiver may have got it. */
  readonly abandoned: boolean;
}

/** Maximum bytes of the body to read and discard, so that the receiver can finish. Only the status matters. */
const ANSWER_BYTES_MAX = 16 * 1024;
const GONE = 410;

export async function attemptDelivery(
  client: OutboundHttpClient,
  clock: Clock,
  attempt: Attempt,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const startedAt = clock.monotonic();
  const unixSeconds = Math.floor(clock.now() / 1000);
  const elapsed = () => Math.round(clock.monotonic() - startedAt);
  try {
    const response = await client.request({
      method: "POST",
      url: attempt.url,
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "Linevoice-Webhook/1",
        "X-LV-Event": attempt.type,
        "X-LV-Delivery-Id": attempt.deliveryId,
        "X-LV-Timestamp": String(unixSeconds),
        "X-LV-Signature": signatureHeader(attempt.secret, unixSeconds, attempt.body),
      },
      body: attempt.body,
      timeoutMs,
      responseBytesMax: ANSWER_BYTES_MAX,
      statusOnly: true,
      signal,
      mayReuse: true,
    });
    const delivered = response.status >= 200 && response.status < 300;
    return {
      delivered,
      httpStatus: response.status,
      durationMs: elapsed(),
      error: delivered ? null : wordsFor(response.status),
      retryAfterMs: parseRetryAfter(response.headers["retry-after"], clock.now()),
      gone: response.status === GONE,
      abandoned: false,
    };
  } catch (error) {
    const known = error instanceof OutboundHttpError ? error : null;
    return {
      delivered: false,
      httpStatus: null,
      durationMs: elapsed(),
      error: known?.message ?? "the request could not be sent",
      retryAfterMs: null,
      gone: false,
      abandoned: known?.failure === "aborted",
    };
  }
}

function wordsFor(status: number): string {
  if (status >= 300 && status < 400) return `redirects are not followed (HTTP ${status})`;
  return `the receiver returned HTTP ${status}`;
}
