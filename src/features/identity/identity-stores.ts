/** Combines the stores of user accounts. */

import { attemptStore } from "./attempt-store.ts";
import { auditStore } from "./audit-store.ts";
import { linkStore } from "./link-store.ts";
import { passkeyStore } from "./passkey-store.ts";
import { sessionStore } from "./session-store.ts";
import type { IdentityStores } from "./stores.ts";
import { teamStore } from "./team-store.ts";
import { userStore } from "./user-store.ts";

export const identityStores: IdentityStores = (queries) => ({
  users: userStore(queries),
  team: teamStore(queries),
  sessions: sessionStore(queries),
  links: linkStore(queries),
  passkeys: passkeyStore(queries),
  attempts: attemptStore(queries),
  audit: auditStore(queries),
});
