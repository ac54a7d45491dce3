/**
 * Responses of a Realtime session: one at a time in its conversation, any number outside it.
 *
 * Cancelling needs the server's id. Until the server sends it, a cancelled response is only marked.
 * If a request is rejected because another response is active, it is repeated after that one's end.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ProviderFailure } from "../provider-failure.ts";
import type { AudioDecoder } from "./audio-codec.ts";
import { errorOf, objectField, type ServerEvent, textField } from "./events.ts";
import { RealtimeResponse } from "./response.ts";

interface ResponsesOptions {
  /** Returns false if there is no session. */
  readonly send: (event: JsonObject) => boolean;
  readonly fail: (reason: ProviderFailure["reason"], message: string) => ProviderFailure;
  readonly createDecoder: () => AudioDecoder;
  readonly sampleRateHz: number;
  /** Maximum time to the first event of a response. */
  readonly firstMsMax: number;
  readonly clock: Clock;
}

/** A requested response. */
interface Asked {
  readonly response: RealtimeResponse;
  readonly body: JsonObject;
  /** Event id of the latest request. */
  eventId: string;
  attempts: number;
  /**
   * Set while another response is active. The request is repeated after its end, or when this timer
   * fires.
   */
  blocked: Timer | null;
}

/** Maximum time that the server takes to end a cancelled response. */
const CANCEL_MS_MAX = 500;
/** Time before a retry if nothing reports the end of the other response. */
const BLOCKED_MS_MAX = 250;
const ATTEMPTS_MAX = 8;
const ALREADY_ACTIVE = /already_has_active_response|already has an active response/;

export class Responses {
  /** Responses that the server has not started yet, in order of request. */
  #asked: Asked[] = [];
  readonly #running = new Map<string, RealtimeResponse>();
  #keys = 0;

  constructor(private readonly options: ResponsesOptions) {}

  /** The current response in the conversation, or null. */
  get active(): RealtimeResponse | null {
    return this.#all.find((response) => !response.options.outOfBand) ?? null;
  }

  get isIdle(): boolean {
    return this.#all.length === 0;
  }

  /** Requests a response at once. The session must be ready. */
  ask(response: JsonObject, outOfBand: boolean): RealtimeResponse {
    const { sampleRateHz, firstMsMax, clock, fail, createDecoder } = this.options;
    const key = `r${++this.#keys}`;
    const decoder = createDecoder();
    const asked: Asked = {
      response: new RealtimeResponse({
        key,
        outOfBand,
        decoder,
        sampleRateHz,
        firstMsMax,
        clock,
        fail,
      }),
      body: { ...response, metadata: { key } },
      eventId: "",
      attempts: 0,
      blocked: null,
    };
    this.#asked.push(asked);
    void asked.response.finished.then(() => {
      if (asked.response.failure) this.#cancelAtServer(asked.response);
    });
    void asked.response.settled.then(() => this.#forget(asked.response));
    this.#send(asked);
    return asked.response;
  }

  /** Stops a response, here and at the server. */
  cancel(response: RealtimeResponse): void {
    if (response.over) return;
    this.#cancelAtServer(response);
    response.cancel();
  }

  /** Stops the response in the conversation. Waits briefly until the server has done the same. */
  async untilIdle(): Promise<void> {
    const { active } = this;
    if (!active) return;
    this.cancel(active);
    const waited = Promise.withResolvers<void>();
    const timer = this.options.clock.after(CANCEL_MS_MAX, waited.resolve);
    await Promise.race([active.settled, waited.promise]);
    timer.cancel();
    this.#forget(active);
  }

  /** Handles every event whose name begins with `response.`. */
  receive(event: ServerEvent): void {
    const { type, body } = event;
    if (type === "response.created") {
      this.#created(objectField(body, "response"));
      return;
    }
    const id = textField(body, "response_id") || textField(objectField(body, "response"), "id");
    this.#running.get(id)?.receive(event);
    if (type !== "response.done") return;
    for (const asked of this.#asked) if (asked.blocked) this.#askAgain(asked);
  }

  /** Returns whether an `error` event was about one of the responses. */
  rejected(body: JsonObject, failure: ProviderFailure): boolean {
    const error = errorOf(body);
    const eventId = textField(error, "event_id");
    const detail = `${textField(error, "code")} ${textField(error, "message")}`;
    const named = this.#asked.find((asked) => asked.eventId === eventId);
    if (ALREADY_ACTIVE.test(detail)) return this.#meetsActive(named, detail);
    if (!named) return false;
    this.#lost(named.response, failure);
    return true;
  }

  lose(failure: ProviderFailure): void {
    for (const response of this.#all) this.#lost(response, failure);
  }

  get #all(): RealtimeResponse[] {
    return [...this.#asked.map(({ response }) => response), ...this.#running.values()];
  }

  #send(asked: Asked): void {
    asked.attempts++;
    const { key } = asked.response.options;
    asked.eventId = asked.attempts === 1 ? key : `${key}_${asked.attempts}`;
    const event = { type: "response.create", event_id: asked.eventId, response: asked.body };
    if (this.options.send(event)) return;
    this.#lost(asked.response, this.options.fail("connect", "the connection is lost"));
  }

  /** The error names no request if the server started the other response itself. */
  #meetsActive(named: Asked | undefined, detail: string): boolean {
    const waits = ({ response, blocked }: Asked) => !response.options.outOfBand && !blocked;
    const asked = named ?? this.#asked.find(waits);
    if (!asked) return false;
    const other = /\bresp_\w+/.exec(detail)?.[0] ?? "";
    const otherIsOver = this.#running.get(other)?.over ?? true;
    if (other !== "" && otherIsOver) {
      this.options.send({ type: "response.cancel", response_id: other });
    }
    if (asked.response.over) this.#forget(asked.response);
    else if (asked.attempts >= ATTEMPTS_MAX) {
      const message = "another answer does not end";
      this.#lost(asked.response, this.options.fail("server", message));
    } else {
      const again = () => this.#askAgain(asked);
      asked.blocked = this.options.clock.after(BLOCKED_MS_MAX, again);
    }
    return true;
  }

  #askAgain(asked: Asked): void {
    asked.blocked?.cancel();
    asked.blocked = null;
    if (asked.response.over) this.#forget(asked.response);
    else this.#send(asked);
  }

  #created(response: JsonObject): void {
    const key = textField(objectField(response, "metadata"), "key");
    const id = textField(response, "id");
    // A server without metadata starts responses in the order of the requests.
    const asked = this.#asked.find((one) => key === "" || one.response.options.key === key);
    if (asked) {
      this.#asked = this.#asked.filter((one) => one !== asked);
      asked.response.created(id);
      this.#running.set(id, asked.response);
    }
    // The response was cancelled before the server started it.
    if (!asked || asked.response.over) {
      this.options.send({ type: "response.cancel", response_id: id });
    }
  }

  #cancelAtServer({ id }: RealtimeResponse): void {
    if (id !== "") this.options.send({ type: "response.cancel", response_id: id });
  }

  #lost(response: RealtimeResponse, failure: ProviderFailure): void {
    response.settle();
    this.#forget(response);
    response.fail(failure);
  }

  #forget(response: RealtimeResponse): void {
    for (const asked of this.#asked) if (asked.response === response) asked.blocked?.cancel();
    this.#asked = this.#asked.filter((asked) => asked.response !== response);
    if (response.id !== "") this.#running.delete(response.id);
  }
}
