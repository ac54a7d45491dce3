/**
 * What was taken back for good: a restore of an older backup must not bring it back. Each is noted in a
 * journal outside the database (revocation/journal.ts), in the transaction that takes it back.
 *
 * People and numbers stand here as keyed fingerprints, keys and passkeys as hashes; nothing names anybody.
 */
export type Revocation =
  /** An API key; its stored hash. */
  | { readonly kind: "key"; readonly hash: string }
  /** A webhook got another signing secret, or was deleted. */
  | { readonly kind: "webhook_secret"; readonly tenant: number; readonly webhook: number }
  | { readonly kind: "webhook"; readonly tenant: number; readonly webhook: number }
  /** The tenant's older webhook secret was made anew. */
  | { readonly kind: "tenant_secret"; readonly tenant: number }
  | { readonly kind: "suspended"; readonly tenant: number; readonly on: boolean }
  | { readonly kind: "password"; readonly user: string }
  /** The authenticator was taken off, and its recovery codes with it. */
  | { readonly kind: "second_factor"; readonly user: string }
  /** A recovery code was used; its stored hash. */
  | { readonly kind: "recovery_code"; readonly hash: string }
  /** SHA-256 of the credential's id. */
  | { readonly kind: "passkey"; readonly credential: string }
  /** What a person may do in a company from now on; null: is no member any more. */
  | {
      readonly kind: "member";
      readonly tenant: number;
      readonly user: string;
      readonly role: "owner" | "member" | "viewer" | null;
    }
  /** Asked not to be called, or lifted that. */
  | {
      readonly kind: "refusal";
      readonly tenant: number;
      readonly person: string;
      readonly kept: boolean;
    }
  | { readonly kind: "erased"; readonly tenant: number; readonly person: string };

export interface RevocationNotes<Queries> {
  /**
   * Durable when it resolves, before the transaction of `queries` is. Note last in a transaction: what
   * is noted is done again after a crash. Throws unavailable, with nothing noted, when it cannot be written.
   */
  note(queries: Queries, revocations: readonly Revocation[]): Promise<void>;
}

/** What a revocation is about: of those about the same, the last counts. */
export function subjectOf(revocation: Revocation): string {
  switch (revocation.kind) {
    case "key":
    case "recovery_code":
      return `${revocation.kind} ${revocation.hash}`;
    case "passkey":
      return `passkey ${revocation.credential}`;
    case "webhook":
    case "webhook_secret":
      return `${revocation.kind} ${revocation.tenant} ${revocation.webhook}`;
    case "tenant_secret":
    case "suspended":
      return `${revocation.kind} ${revocation.tenant}`;
    case "password":
    case "second_factor":
      return `${revocation.kind} ${revocation.user}`;
    case "member":
      return `member ${revocation.tenant} ${revocation.user}`;
    case "refusal":
    case "erased":
      return `${revocation.kind} ${revocation.tenant} ${revocation.person}`;
  }
}
