/**
 * Asks a STUN server periodically, from the SIP socket, for our public address (RFC 8489 6.2.1 over
 * UDP) and reports changes. Only responses from that server with the sent transaction id count.
 * Without a response the last result is kept.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { Address } from "../transport/flow.ts";
import { buildBindingRequest, parseBindingAnswer, TRANSACTION_ID_BYTES } from "./stun.ts";

interface StunClientDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Returns the server's current addresses. */
  readonly locate: () => Promise<readonly Address[]>;
  readonly send: (bytes: Uint8Array, remote: Address) => void;
  /** Called for the first address and for each change. */
  readonly onMapped: (mapped: Address) => void;
}

/** Also keeps a NAT's binding open. */
const PERIOD_MS = 25_000;
const RTO_MS = 500;
/**
 * RFC 8489 6.2.1: Rc. With Rm = 16 a timeout takes 39.5 s; the next request is sent before that.
 */
const TRIES = 5;

interface Question {
  readonly id: Buffer;
  readonly server: Address;
  timer: Timer;
}

export class StunClient {
  #mapped: Address | null = null;
  #question: Question | undefined;
  #period: Timer | undefined;
  #closed = false;

  constructor(private readonly deps: StunClientDeps) {}

  /** Our last known public address; null if unknown. */
  get mapped(): Address | null {
    return this.#mapped;
  }

  start(): void {
    this.#period = this.deps.clock.every(PERIOD_MS, () => void this.#ask());
    void this.#ask();
  }

  /** Processes a received STUN message; ignores anything that does not match our request. */
  receive(bytes: Uint8Array, source: Address): void {
    const answer = parseBindingAnswer(bytes);
    const question = this.#question;
    if (!answer || !question?.id.equals(answer.transactionId)) return;
    if (source.host !== question.server.host || source.port !== question.server.port) return;
    this.#forget();
    const { mapped } = answer;
    if (!mapped) {
      this.deps.log.warn("stun.refused", { server: question.server.host });
      return;
    }
    const before = this.#mapped;
    if (before?.host === mapped.host && before.port === mapped.port) return;
    this.#mapped = mapped;
    this.deps.log.info("public_address.mapped", { host: mapped.host, port: mapped.port });
    this.deps.onMapped(mapped);
  }

  close(): void {
    this.#closed = true;
    this.#period?.cancel();
    this.#forget();
  }

  async #ask(): Promise<void> {
    try {
      const [server] = await this.deps.locate();
      if (!server || this.#closed) return;
      this.#forget();
      const id = Buffer.from(this.deps.random.bytes(TRANSACTION_ID_BYTES));
      this.#send({ id, server }, 1);
    } catch (error) {
      this.deps.log.warn("stun.unreachable", { error: describeError(error) });
    }
  }

  #send(question: Omit<Question, "timer">, attempt: number): void {
    this.deps.send(buildBindingRequest(question.id), question.server);
    const timer = this.deps.clock.after(RTO_MS * 2 ** (attempt - 1), () => {
      if (attempt < TRIES) this.#send(question, attempt + 1);
      else this.#giveUp(question.server);
    });
    this.#question = { ...question, timer };
  }

  #giveUp(server: Address): void {
    this.#forget();
    this.deps.log.warn("stun.silent", { server: server.host });
  }

  #forget(): void {
    this.#question?.timer.cancel();
    this.#question = undefined;
  }
}
