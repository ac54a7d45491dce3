/** The rows of the mail queue, as a port; `src/adapter/store/mail-store.ts` implements it. */

import type { Queries } from "../../core/database.ts";
import type { MailDraft } from "./ports.ts";

export interface QueuedMail extends MailDraft {
  readonly id: number;
  readonly tenantId: number;
  /** Attempts made before. */
  readonly attempts: number;
  readonly createdAt: number;
  /** How the recording goes; with `linked` and `unreachable` nothing is attached. */
  readonly recordingForm: "attached" | "linked" | "unreachable";
}

/** What a worker takes: mails with something to attach, or those without. */
export type MailLane = "with attachment" | "without";

export interface ClaimedMail extends QueuedMail {
  /** Its attachment lies on the disk of a node that has not sent it for so long that it seems lost. */
  readonly isLost: boolean;
}

/** But for `enqueue`, the worker's functions reach over all tenants. */
interface MailStore {
  /** Does nothing when a mail of this key was queued before. */
  enqueue(tenantId: number, mail: MailDraft, nowMs: number): Promise<void>;
  /**
   * Leases and answers the oldest due mail of a lane; null: nothing is due. An attachment lies on the
   * disk of the node that carried the call: only `node` can send it, unless it has been due since
   * `lostBeforeMs`.
   */
  claim(request: {
    readonly nowMs: number;
    readonly owner: string;
    readonly leaseUntilMs: number;
    readonly node: string | null;
    readonly lane: MailLane;
    readonly lostBeforeMs: number;
  }): Promise<ClaimedMail | null>;
  /** The hand-over may take longer. */
  extendLease(id: number, owner: string, leaseUntilMs: number): Promise<void>;
  /** Nothing is attached any more; what is left of the recording stays where it is. */
  detach(id: number, owner: string, form: "linked" | "unreachable"): Promise<void>;
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
