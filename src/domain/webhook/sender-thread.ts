/**
 * The main thread's side of the webhook worker, which signs deliveries and sends them, so that handshakes,
 * encryption and HTTP take nothing of the thread that signals. What is sent in one turn of the event loop is
 * one message. The worker starts with the first attempt, and ends when nothing was under way for two minutes.
 * If it dies, what it was sending has failed and is tried again as any other; the next attempt starts another.
 */
import type { Clock, Timer } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { WorkerHandle } from "../../core/worker-handle.ts";
import { type Attempt, type AttemptResult, unsent, type WebhookSender } from "./attempt.ts";
import type { FromWebhookWorker, SenderSettings, ToWebhookWorker } from "./sender-messages.ts";

/** Longer than a connection is kept, and than the rest of an answer is read. */
const IDLE_MS_MAX = 120_000;

const abandoned = (): AttemptResult => ({
  ...unsent("the request was abandoned"),
  abandoned: true,
});

interface SenderThreadOptions {
  readonly spawn: () => WorkerHandle;
  readonly settings: SenderSettings;
  readonly clock: Clock;
  readonly log: Log;
}

/** The owner must `close` it. */
export function createSenderThread(options: SenderThreadOptions): WebhookSender {
  return new SenderThread(options);
}

class SenderThread implements WebhookSender {
  /** By delivery id. */
  readonly #underWay = new Map<string, (result: AttemptResult) => void>();
  #unposted: Attempt[] = [];
  #worker: WorkerHandle | null = null;
  #idle: Timer | null = null;
  #closed = false;

  constructor(private readonly options: SenderThreadOptions) {}

  send(attempt: Attempt): Promise<AttemptResult> {
    if (this.#closed) return Promise.resolve(abandoned());
    return new Promise((done) => {
      this.#underWay.set(attempt.deliveryId, done);
      if (this.#unposted.push(attempt) === 1) queueMicrotask(() => this.#postAll());
    });
  }

  close(): void {
    this.#closed = true;
    this.#end();
    this.#settleAll(abandoned());
  }

  #postAll(): void {
    const attempts = this.#unposted;
    this.#unposted = [];
    if (this.#closed) return;
    this.#idle?.cancel();
    this.#idle = null;
    try {
      this.#worker ??= this.#start();
      this.#post({ type: "send", attempts });
    } catch (error) {
      this.#died(this.#worker, describeError(error));
    }
  }

  #post(message: ToWebhookWorker): void {
    this.#worker?.postMessage(message);
  }

  #start(): WorkerHandle {
    const worker = this.options.spawn();
    worker.addEventListener("message", (event) => this.#settle(event.data as FromWebhookWorker));
    worker.addEventListener("error", (event) => {
      event.preventDefault?.();
      this.#died(worker, describeError(event.message));
    });
    worker.addEventListener("close", () => this.#died(worker, "the webhook worker ended"));
    worker.postMessage({ type: "init", settings: this.options.settings } satisfies ToWebhookWorker);
    return worker;
  }

  #settle(results: FromWebhookWorker): void {
    for (const { deliveryId, result } of results) {
      this.#underWay.get(deliveryId)?.(result);
      this.#underWay.delete(deliveryId);
    }
    if (this.#underWay.size === 0 && this.#worker)
      this.#idle ??= this.options.clock.after(IDLE_MS_MAX, () => this.#end());
  }

  #died(worker: WorkerHandle | null, detail: string): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    worker?.terminate();
    this.options.log.error("webhook_worker.died", { detail, under_way: this.#underWay.size });
    this.#settleAll(unsent());
  }

  #settleAll(result: AttemptResult): void {
    const settles = [...this.#underWay.values()];
    this.#underWay.clear();
    this.#unposted = [];
    for (const settle of settles) settle(result);
  }

  #end(): void {
    this.#idle?.cancel();
    this.#idle = null;
    this.#post({ type: "close" });
    this.#worker = null;
  }
}
