/** What the operator may do about people from the console. Plain data; methods throw AppError. */

/** Shown once. */
export interface OneTimeUrl {
  readonly url: string;
  readonly expires_at: string;
}

export interface UserSummary {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly operator: boolean;
  readonly second_factor: boolean;
  /** False: signs in by link or passkey until a password is set. */
  readonly password: boolean;
  readonly tenants: readonly {
    readonly id: number;
    readonly name: string;
    readonly role: "owner" | "member" | "viewer";
  }[];
  readonly created_at: string;
  readonly last_seen_at: string | null;
}

export interface CreatedUser {
  readonly user: UserSummary;
  /** False: there was such an account; it works in this tenant too now. */
  readonly made: boolean;
  /** Sets the first password; null where there is one. */
  readonly link: OneTimeUrl | null;
}

export interface PeoplePort {
  /** True: nobody owns this appliance yet. */
  setupNeeded(): Promise<boolean>;
  /** Makes an owner; ends the owner links before it. */
  ownerLink(): Promise<OneTimeUrl>;
  createUser(draft: {
    readonly tenant: number;
    readonly email: string;
    readonly name: string | null;
    readonly role: "owner" | "member" | "viewer";
    readonly operator: boolean;
  }): Promise<CreatedUser>;
  /** `mail`: sent instead of shown, where mail can leave. */
  resetPassword(input: {
    readonly email: string;
    readonly mail: boolean;
    readonly remove_second_factor: boolean;
  }): Promise<{ readonly email: string; readonly link: OneTimeUrl | null }>;
  listUsers(): Promise<readonly UserSummary[]>;
  /** Signs this user in, once. */
  signInLink(userId: number): Promise<OneTimeUrl>;
}
