/** Combines the stores of user accounts. */
import type { IdentityStores } from "../../domain/identity/stores.ts";
import { attemptStore } from "./identity-attempt-store.ts";
import { auditStore } from "./identity-audit-store.ts";
import { linkStore } from "./identity-link-store.ts";
import { passkeyStore } from "./identity-passkey-store.ts";
import { sessionStore } from "./identity-session-store.ts";
import { teamStore } from "./identity-team-store.ts";
import { userStore } from "./identity-user-store.ts";

export const identityStores: IdentityStores = (queries) => ({
  users: userStore(queries),
  team: teamStore(queries),
  sessions: sessionStore(queries),
  links: linkStore(queries),
  passkeys: passkeyStore(queries),
  attempts: attemptStore(queries),
  audit: auditStore(queries),
});
