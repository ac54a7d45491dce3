/** Post-call email (specification 1): queued with the change that it reports and sent by the mail worker. */

/** The closing text of a post-call email about the recording, in the agent's language. */
export interface RecordingWords {
  readonly attached: string;
  /** Name of the attached file, without extension. Missing in mails of older versions. */
  readonly fileName?: string;
  /** `{url}` is replaced by the recording's signed link. */
  readonly linked: string;
  /** Too large to attach, and not kept for a link. Missing in mails of older versions. */
  readonly notKept?: string;
  /** The retention ended before the email could be sent. */
  readonly gone: string;
  /** The server that stores the recording does not respond. */
  readonly unreachable: string;
}

export interface MailDraft {
  /** Prevents duplicates: `transcript:<call uuid>`. */
  readonly key: string;
  readonly callUuid: string | null;
  readonly recipient: string;
  readonly subject: string;
  readonly body: string;
  /** File in the recordings directory, or null. */
  readonly attachment: string | null;
  /** Missing if the body contains everything. */
  readonly recordingWords?: RecordingWords | null;
}
