/** People: everything about who they are, put together. Its owner must `stop` it. */
import { createAudit } from "./audit.ts";
import type { IdentityDependencies } from "./dependencies.ts";
import { createSessions } from "./sessions.ts";

export type Identity = ReturnType<typeof createIdentity>;

export function createIdentity(deps: IdentityDependencies) {
  return {
    sessions: createSessions(deps),
    audit: createAudit(deps),
  };
}
