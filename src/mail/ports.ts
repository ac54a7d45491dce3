/** Post-call mail (specification 1): queued with the change it reports, handed over by the mail worker. */
import type { Queries } from "../store/database.ts";

export interface MailDraft {
  /** Makes it happen once: `transcript:<call uuid>`. */
  readonly key: string;
  readonly callUuid: string | null;
  readonly recipient: string;
  readonly subject: string;
  readonly body: string;
  /** File in the recordings directory, or null. */
  readonly attachment: string | null;
}

export interface MailQueue {
  enqueue(queries: Queries, tenantId: number, mail: MailDraft): Promise<void>;
  /** After the commit: hand over soon. */
  wake(): void;
  /** Runs once per mail that a provider has accepted, before the next one is claimed. */
  onSent(
    listener: (mail: {
      tenantId: number;
      callUuid: string | null;
      attachment: string | null;
    }) => Promise<void>,
  ): void;
  stop(): Promise<void>;
}
