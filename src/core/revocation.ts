/**
 * Permanent revocations: restoring an older backup must not undo them. Each is recorded in a
 * journal outside the database (revocation/journal.ts), in the transaction that revokes.
 *
 * People and numbers are stored as keyed fingerprints, keys and passkeys as hashes; no entry
 * identifies a person.
 */
export type Revocation =
  /** An API key, by its stored hash. */
  | { readonly kind: "key"; readonly hash: string }
  /** A webhook's signing secret was replaced, or the webhook was deleted. */
  | { readonly kind: "webhook_secret"; readonly tenant: number; readonly webhook: number }
  | { readonly kind: "webhook"; readonly tenant: number; readonly webhook: number }
  /** The tenant-wide webhook secret was replaced. */
  | { readonly kind: "tenant_secret"; readonly tenant: number }
  | { readonly kind: "suspended"; readonly tenant: number; readonly on: boolean }
  | { readonly kind: "password"; readonly user: string }
  /** The authenticator was removed, together with its recovery codes. */
  | { readonly kind: "second_factor"; readonly user: string }
  /** A recovery code was used; by its stored hash. */
  | { readonly kind: "recovery_code"; readonly hash: string }
  /** SHA-256 of the credential's id. */
  | { readonly kind: "passkey"; readonly credential: string }
  /** A user's new role in a company; null if no longer a member. */
  | {
      readonly kind: "member";
      readonly tenant: number;
      readonly user: string;
      readonly role: "owner" | "member" | "viewer" | null;
    }
  /** A person asked not to be called, or withdrew that request. */
  | {
      readonly kind: "refusal";
      readonly tenant: number;
      readonly person: string;
      readonly kept: boolean;
    }
  | { readonly kind: "erased"; readonly tenant: number; readonly person: string };

export interface RevocationNotes<Queries> {
  /**
   * Durable when the promise resolves, before the transaction of `queries` commits. Call it last in
   * a transaction: recorded entries are replayed after a crash. Throws `unavailable`, with nothing
   * recorded, when the journal cannot be written.
   */
  note(queries: Queries, revocations: readonly Revocation[]): Promise<void>;
}

/** The subject of a revocation. Of several entries with the same subject the last one counts. */
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
