/** Messages between the main thread and the webhook worker. An attempt goes by its `deliveryId`. */
import type { Attempt, AttemptResult } from "./attempt.ts";

export interface SenderSettings {
  /** `[http_client] allow_networks`. */
  readonly allowNetworks: readonly string[];
  /** PEM of `[http_client] ca_file`. */
  readonly caPem: string | null;
  /** `[http_client] webhook_timeout_ms`. */
  readonly webhookTimeoutMs: number;
}

export type ToWebhookWorker =
  | { readonly type: "init"; readonly settings: SenderSettings }
  | { readonly type: "send"; readonly attempts: readonly Attempt[] }
  /** Abandon what is under way, and end. Answered with nothing. */
  | { readonly type: "close" };

/** Every attempt that was sent has one result. */
export type FromWebhookWorker = readonly {
  readonly deliveryId: string;
  readonly result: AttemptResult;
}[];
