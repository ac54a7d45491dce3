/**
 * One HTTP service of a provider (STT, LLM or TTS). It sends requests with the provider's key over
 * persistent connections. It limits every wait and the size of every answer, and classifies every
 * failure.
 *
 * Guarantees: if a connection is not established within `connectTimeoutMs`, the request fails as
 * `connect`, whatever the time-out of the answer. No message contains the key. Aborting the
 * caller's signal ends the request at once. The reader interprets the answers.
 */

import type { EngineFailure } from "../../conversation/engine-port.ts";
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import type { Trust } from "../../platform/net/trust.ts";
import { type ErrorAnswer, ProviderFailure, withoutSecrets } from "../provider-failure.ts";
import { canConnect } from "./connectivity.ts";
import { readErrorAnswer, reasonOfStatus } from "./error-answer.ts";
import { RequestDeadline } from "./request-deadline.ts";
import { addressOf, keyHeaderOf, type ServiceSettings } from "./settings.ts";

interface ServiceOptions {
  readonly part: EngineFailure["part"];
  readonly settings: ServiceSettings;
  readonly clock: Clock;
  /** If missing, the runtime's certificates. */
  readonly trust?: Trust | undefined;
}

interface Ask {
  readonly path: string;
  readonly body: FormData | Readonly<Record<string, unknown>>;
  readonly accept?: string;
  readonly signal: AbortSignal;
  /** Longest pause between two parts of the answer. */
  readonly pauseMsMax: number;
  readonly bytesMax: number;
}

/** An answer with status 2xx. The same limits apply while reading it. */
export interface Answer {
  readonly contentType: string;
  /**
   * Parts as they arrive. Throws ProviderFailure. Ends without an error if the signal was aborted.
   */
  parts(): AsyncGenerator<Uint8Array>;
  /** The whole body. */
  text(): Promise<string>;
  /** The answer has started: from now on, only pauses are limited. */
  begun(): void;
  /**
   * Everything important has arrived. The rest of `parts` is read in the background, so that the
   * connection can be reused. If the server does not end it soon, the connection is closed.
   */
  readOut(parts: AsyncGenerator<Uint8Array>): void;
}

const ERROR_BYTES_MAX = 4_096;
const READ_OUT_MS_MAX = 2_000;
/** A service that answered this recently is not probed again. */
const TRUSTED_MS = 30_000;

export class Service {
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ServiceOptions) {}

  get settings(): ServiceSettings {
    return this.options.settings;
  }

  fail(
    reason: ProviderFailure["reason"],
    message: string,
    more: {
      status?: number;
      retryAfterMs?: number;
      answer?: ErrorAnswer;
      cause?: unknown;
    } = {},
  ): ProviderFailure {
    const { part, settings } = this.options;
    const text = withoutSecrets(message, [settings.apiKey]);
    return new ProviderFailure({ part, reason, message: `${this.#name}: ${text}`, ...more });
  }

  /** Resolves with the headers of a 2xx answer. Rejects with ProviderFailure. */
  async ask(ask: Ask): Promise<Answer> {
    const { clock, settings } = this.options;
    const deadline = new RequestDeadline(clock, ask.signal);
    deadline.within(settings.timeoutMs, () =>
      this.fail("timeout", `no answer within ${settings.timeoutMs} ms`),
    );
    this.#watchConnection(deadline);
    try {
      const response = await deadline.wait(this.#fetch(ask, deadline.signal));
      this.#answeredAt = clock.monotonic();
      if (!response.ok) throw await this.#rejection(response, deadline);
      return this.#answer(response, ask, deadline);
    } catch (error) {
      deadline.end();
      throw this.#asFailure(error);
    }
  }

  get #name(): string {
    const { hostname, port } = new URL(this.options.settings.baseUrl);
    return port === "" ? hostname : `${hostname}:${port}`;
  }

  #fetch({ path, body, accept }: Ask, signal: AbortSignal): Promise<Response> {
    const { settings } = this.options;
    const headers: Record<string, string> = { accept: accept ?? "*/*", ...keyHeaderOf(settings) };
    const isForm = body instanceof FormData;
    if (!isForm) headers["content-type"] = "application/json";
    return fetch(addressOf(settings, path), {
      method: "POST",
      headers,
      body: isForm ? body : JSON.stringify(body),
      redirect: "manual",
      signal,
      ...this.options.trust,
    });
  }

  /** Runs in parallel to the request, because fetch can't distinguish connecting from waiting. */
  #watchConnection(deadline: RequestDeadline): void {
    const { clock, settings } = this.options;
    const { connectTimeoutMs } = settings;
    if (clock.monotonic() - this.#answeredAt < TRUSTED_MS) return;
    if (connectTimeoutMs >= settings.timeoutMs) return;
    void canConnect(new URL(settings.baseUrl), connectTimeoutMs, clock, deadline.signal).then(
      (up) => {
        if (!up) deadline.fail(this.fail("connect", `no connection within ${connectTimeoutMs} ms`));
      },
    );
  }

  async #rejection(response: Response, deadline: RequestDeadline): Promise<ProviderFailure> {
    const { status } = response;
    const detail = await readAtMost(response, ERROR_BYTES_MAX, deadline).catch(() => "");
    const answer = readErrorAnswer(parseJson(detail), detail);
    return this.fail(reasonOfStatus(status, answer), `${status} ${answer.message}`, {
      status,
      answer,
      retryAfterMs: retryAfterOf(response.headers),
    });
  }

  #answer(response: Response, ask: Ask, deadline: RequestDeadline): Answer {
    const parts = () => this.#parts(response, ask, deadline);
    return {
      contentType: response.headers.get("content-type") ?? "",
      parts,
      begun: () =>
        deadline.pauses(ask.pauseMsMax, () =>
          this.fail("timeout", `the answer stopped for ${ask.pauseMsMax} ms`),
        ),
      readOut: (rest) => {
        deadline.within(READ_OUT_MS_MAX, () => this.fail("timeout", "the answer does not end"));
        const read = async () => {
          while (!(await rest.next()).done);
        };
        read().catch(() => {});
      },
      async text() {
        const decoder = new TextDecoder();
        let text = "";
        for await (const part of parts()) text += decoder.decode(part, { stream: true });
        return text + decoder.decode();
      },
    };
  }

  async *#parts(
    response: Response,
    ask: Ask,
    deadline: RequestDeadline,
  ): AsyncGenerator<Uint8Array> {
    const reader = response.body?.getReader();
    if (!reader) return deadline.end();
    let bytes = 0;
    try {
      for (;;) {
        const { done, value } = await deadline.wait(reader.read());
        if (done) return;
        bytes += value.length;
        if (bytes > ask.bytesMax) {
          throw this.fail("protocol", `an answer of more than ${ask.bytesMax} bytes`);
        }
        deadline.received();
        yield value;
      }
    } catch (error) {
      if (ask.signal.aborted) return;
      throw this.#asFailure(error);
    } finally {
      deadline.end();
      void reader.cancel().catch(() => {});
    }
  }

  #asFailure(error: unknown): unknown {
    if (error instanceof ProviderFailure) return error;
    const code = (error as { code?: unknown } | null)?.code;
    const detail = describeError(error);
    const unreachable = /refused|unable to connect|ENOTFOUND|resolve|certificate|EHOST|ENETUN/i;
    if (unreachable.test(`${String(code)} ${detail}`)) {
      return this.fail("connect", detail, { cause: error });
    }
    return this.fail("protocol", `the connection broke: ${detail}`, { cause: error });
  }
}

async function readAtMost(
  response: Response,
  bytesMax: number,
  deadline: RequestDeadline,
): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let text = "";
  while (text.length < bytesMax) {
    const { done, value } = await deadline.wait(reader.read());
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  void reader.cancel().catch(() => {});
  return text.slice(0, bytesMax);
}

/** Milliseconds, or undefined. Dates are ignored: no provider sends them here. */
function retryAfterOf(headers: Headers): number | undefined {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}
