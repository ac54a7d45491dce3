/** The demo as a tenant's program: uses only the public REST API with a real key. */
import type { Clock } from "../core/clock.ts";
import { sleep } from "../core/clock.ts";

export interface CallDetail {
  readonly call_uuid: string;
  readonly direction: string;
  readonly from_number: string;
  readonly to_number: string;
  readonly status: string;
  readonly ended_reason: string | null;
  readonly billable_seconds: number;
  readonly cost_eur: number;
  readonly transcript: string | null;
  readonly summary: string | null;
  readonly recording_status: string;
  readonly billing: {
    readonly billable_seconds: number;
    readonly included_seconds: number;
    readonly overage_seconds: number;
    readonly overage_eur_per_min: number;
    readonly cost_eur: number;
  };
  readonly latency: { readonly p50_ms: number | null; readonly p95_ms: number | null };
  readonly tool_calls: readonly { readonly tool: string; readonly ok: boolean }[];
  readonly sip: { readonly codec: string | null; readonly mos: number | null };
}

export interface DemoApi {
  readonly baseUrl: string;
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body: unknown): Promise<Answer>;
  call(callUuid: string): Promise<CallDetail>;
  /** Polls a call until `done` returns true; rejects with its last state after `timeoutMs`. */
  callWhen(
    callUuid: string,
    done: (call: CallDetail) => boolean,
    timeoutMs: number,
  ): Promise<CallDetail>;
}

const POLL_MS = 500;
const REQUEST_TIMEOUT_MS = 10_000;

export function createDemoApi(baseUrl: string, key: string, clock: Clock): DemoApi {
  async function request<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Answer;
  }

  const api: DemoApi = {
    baseUrl,
    get: (path) => request("GET", path),
    post: (path, body) => request("POST", path, body),
    async call(callUuid) {
      return (await api.get<{ call: CallDetail }>(`/calls/${callUuid}`)).call;
    },
    async callWhen(callUuid, done, timeoutMs) {
      const deadline = clock.monotonic() + timeoutMs;
      for (;;) {
        const call = await api.call(callUuid);
        if (done(call)) return call;
        if (clock.monotonic() > deadline)
          throw new Error(
            `call ${callUuid} is still ${call.status}, recording ${call.recording_status}`,
          );
        await sleep(clock, POLL_MS);
      }
    },
  };
  return api;
}
