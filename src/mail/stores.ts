/** The rows of the mail queue, as a port; `src/store/mail-store.ts` implements it. */
import type { Queries } from "../store/database.ts";
import type { MailDraft } from "./ports.ts";

export interface QueuedMail extends MailDraft {
  readonly id: number;
  readonly tenantId: number;
  /** Attempts made before. */
  readonly attempts: number;
  readonly createdAt: number;
}

/** But for `enqueue`, the worker's functions reach over all tenants. */
export interface MailStore {
  /** Does nothing when a mail of this key was queued before. */
  enqueue(tenantId: number, mail: MailDraft, nowMs: number): Promise<void>;
  /**
   * Leases and answers the oldest due mail; null: nothing is due. An attachment lies on the disk of
   * the node that carried the call: only `node` can send it.
   */
  claim(
    nowMs: number,
    owner: string,
    leaseUntilMs: number,
    node: string | null,
  ): Promise<QueuedMail | null>;
  nextDueAfter(nowMs: number): Promise<number | null>;
  /** False when another node holds it by now. */
  markSent(id: number, owner: string, nowMs: number): Promise<boolean>;
  /** `nextAttemptAt` null: dead, kept with its error. */
  markFailed(
    id: number,
    owner: string,
    outcome: {
      readonly attempts: number;
      readonly nextAttemptAt: number | null;
      readonly error: string;
    },
  ): Promise<void>;
  /** Gives a claimed mail back untouched. */
  release(id: number, owner: string): Promise<void>;
  /** Sent ones whose attachment, on this node's disk, nobody has dealt with yet. */
  withAttachmentLeft(limit: number, node: string | null): Promise<readonly QueuedMail[]>;
  forgetAttachment(id: number): Promise<void>;
}

export type MailStores = (queries: Queries) => MailStore;
