/** The port for mail queue rows; `src/features/mail/mail-store.ts` implements it. */

import type { Queries } from "../../core/database.ts";
import type { MailDraft } from "./ports.ts";

export interface QueuedMail extends MailDraft {
  readonly id: number;
  readonly tenantId: number;
  /** Attempts before this one. */
  readonly attempts: number;
  readonly createdAt: number;
  /** How the recording is sent. `linked` and `unreachable` have no attachment. */
  readonly recordingForm: "attached" | "linked" | "unreachable";
}

/** The lane of a worker: emails with an attachment, or without. */
export type MailLane = "with attachment" | "without";

export interface ClaimedMail extends QueuedMail {
  /** True if the attachment is on the disk of a lost node: one that has not sent it for too long. */
  readonly isLost: boolean;
}

export interface DueMail {
  readonly nowMs: number;
  readonly node: string | null;
  readonly lane: MailLane;
  readonly lostBeforeMs: number;
  /** Tenants whose emails are not due now, because one of them is being sent. */
  readonly busyTenants: readonly number[];
}

/** Except for `enqueue`, the methods cover all tenants. */
interface MailStore {
  /** Does nothing when an email with this key exists. */
  enqueue(tenantId: number, mail: MailDraft, nowMs: number): Promise<void>;
  /**
   * Leases and returns the oldest due email of a lane; null if none is due. An attachment is on the disk of
   * the node that handled the call. Only `node` can send it, unless it has been due since `lostBeforeMs`.
   */
  claim(
    request: DueMail & { readonly owner: string; readonly leaseUntilMs: number },
  ): Promise<ClaimedMail | null>;
  /** Whether `claim` would find an email. */
  hasDue(request: DueMail): Promise<boolean>;
  /** Extends the lease for a long attempt. */
  extendLease(id: number, owner: string, leaseUntilMs: number): Promise<void>;
  /** Removes the attachment from the email; the recording's file stays. */
  detach(id: number, owner: string, form: "linked" | "unreachable"): Promise<void>;
  nextDueAfter(nowMs: number): Promise<number | null>;
  /** Returns false if another node has leased it. */
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
