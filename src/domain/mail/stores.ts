/** The port for mail queue rows; `src/adapter/store/mail/mail-store.ts` implements it. */

import type { Queries } from "../../core/database.ts";
import type { MailDraft } from "./ports.ts";

export interface QueuedMail extends MailDraft {
  readonly id: number;
  readonly tenantId: number;
  /** Attempts before this one. */
  readonly attempts: number;
  readonly createdAt: number;
  /** How the recording is sent; with `linked` and `unreachable` nothing is attached. */
  readonly recordingForm: "attached" | "linked" | "unreachable";
}

/** The lane of a worker: emails with an attachment, or without. */
export type MailLane = "with attachment" | "without";

export interface ClaimedMail extends QueuedMail {
  /**
   * The attachment is on the disk of a node that has not sent it for so long that it counts as
   * lost.
   */
  readonly isLost: boolean;
}

interface DueMail {
  readonly nowMs: number;
  readonly node: string | null;
  readonly lane: MailLane;
  readonly lostBeforeMs: number;
}

/** Except for `enqueue`, the methods cover all tenants. */
interface MailStore {
  /** Does nothing when an email with this key exists. */
  enqueue(tenantId: number, mail: MailDraft, nowMs: number): Promise<void>;
  /**
   * Leases and returns the oldest due email of a lane; null: nothing is due. An attachment is on
   * the disk of the node that handled the call: only `node` can send it, unless it has been due
   * since `lostBeforeMs`.
   */
  claim(
    request: DueMail & { readonly owner: string; readonly leaseUntilMs: number },
  ): Promise<ClaimedMail | null>;
  /** Whether there is one to claim. */
  hasDue(request: DueMail): Promise<boolean>;
  /** Extends the lease for a long attempt. */
  extendLease(id: number, owner: string, leaseUntilMs: number): Promise<void>;
  /** Removes the attachment from the email; the recording's file stays. */
  detach(id: number, owner: string, form: "linked" | "unreachable"): Promise<void>;
  nextDueAfter(nowMs: number): Promise<number | null>;
  /** Returns false when another node holds it. */
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
  /** Releases a claimed email unchanged. */
  release(id: number, owner: string): Promise<void>;
  /** Sent emails whose attachment on this node's disk has not been processed yet. */
  withAttachmentLeft(limit: number, node: string | null): Promise<readonly QueuedMail[]>;
  forgetAttachment(id: number): Promise<void>;
}

export type MailStores = (queries: Queries) => MailStore;
