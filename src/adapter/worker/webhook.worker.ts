/** The webhook worker: signs deliveries and sends them over connections of its own. */
import { systemClock } from "../../core/clock.ts";
import { createSender, type WebhookSender } from "../../domain/webhook/attempt.ts";
import type {
  FromWebhookWorker,
  SenderSettings,
  ToWebhookWorker,
} from "../../domain/webhook/sender-messages.ts";
import { SafeHttpClient } from "../../platform/net/outbound-http.ts";

declare const self: Worker;

/** Results of this time are one message. */
const PAUSE_MS = 1;

let sender: WebhookSender | null = null;
let unposted: FromWebhookWorker[number][] = [];

function start({ webhookTimeoutMs, ...settings }: SenderSettings): WebhookSender {
  const client = new SafeHttpClient(settings);
  return createSender({ client, clock: systemClock, timeoutMs: webhookTimeoutMs });
}

function answer(one: FromWebhookWorker[number]): void {
  if (unposted.push(one) === 1) systemClock.after(PAUSE_MS, postAll);
}

function postAll(): void {
  self.postMessage(unposted satisfies FromWebhookWorker);
  unposted = [];
}

self.onmessage = ({ data: message }: MessageEvent<ToWebhookWorker>) => {
  if (message.type === "init") sender = start(message.settings);
  else if (message.type === "send")
    for (const attempt of message.attempts)
      void sender
        ?.send(attempt)
        .then((result) => answer({ deliveryId: attempt.deliveryId, result }));
  else {
    sender?.close();
    process.exit(0);
  }
};
