/** Post-call mail (specification 1): queued with the change it reports, handed over by the mail worker. */
import type { Queries } from "../../core/database.ts";

/** The last words of a post-call mail, in the agent's language. */
export interface RecordingWords {
  readonly attached: string;
  /** The recording's signed link is put for `{url}`. */
  readonly linked: string;
  /** Its time was over before the mail could be handed over. */
  readonly gone: string;
  /** The server that has it does not answer. */
  readonly unreachable: string;
}

export interface MailDraft {
  /** Makes it happen once: `transcript:<call uuid>`. */
  readonly key: string;
  readonly callUuid: string | null;
  readonly recipient: string;
  readonly subject: string;
  readonly body: string;
  /** File in the recordings directory, or null. */
  readonly attachment: string | null;
  /** Missing: the body says it all. */
  readonly recordingWords?: RecordingWords | null;
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
