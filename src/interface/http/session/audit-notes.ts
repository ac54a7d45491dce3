/**
 * The audit log, written for every change that came through a session, for every sign-in, successful
 * or not, and for what takes personal data along: recordings, exports, the server's log. Never what
 * was sent: the operation, the path, who, from where, how it ended.
 */
import { BoundedMap } from "../../../core/bounded-map.ts";
import type { Clock } from "../../../core/clock.ts";
import { describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import type { Identity } from "../../../domain/identity/identity.ts";
import type { Contract } from "../contract.ts";
import type { RequestContext } from "../request-context.ts";
import { DASHBOARD_MOUNT, MOUNTS } from "../route-table.ts";

const PATH_LENGTH_MAX = 200;
const MOUNT = new RegExp(`^(?:${[...MOUNTS, DASHBOARD_MOUNT].join("|")})(?=/)`);

/** A player asks for a recording in pieces, a page for its list again and again: one note for all. */
const READ_AGAIN_MS = 15 * 60_000;
const READS_REMEMBERED_MAX = 2_000;

interface AuditNotesDependencies {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly log: Log;
}

export type AuditNotes = ReturnType<typeof createAuditNotes>;

export function createAuditNotes({ identity, clock, log }: AuditNotesDependencies) {
  /** When which reading was noted, the oldest first. */
  const reads = new BoundedMap<string, number>(READS_REMEMBERED_MAX);

  function isReadAgain(
    contract: Contract,
    { session, path }: RequestContext,
    status: number,
  ): boolean {
    const key = `${session?.id} ${contract.operationId} ${path} ${status < 400}`;
    const nowMs = clock.monotonic();
    const before = reads.get(key);
    if (before !== undefined && nowMs - before < READ_AGAIN_MS) return true;
    reads.set(key, nowMs);
    return false;
  }

  return {
    /** Never throws: the change is made, whatever becomes of its note. */
    async note(contract: Contract, requestContext: RequestContext, status: number): Promise<void> {
      const { session, actor, origins } = requestContext;
      const isRead = contract.method === "GET";
      if ((isRead && !contract.audited) || !origins || !(session || actor)) return;
      // The lock-out speaks; a flood is not to fill the log.
      if (status === 429) return;
      if (isRead && isReadAgain(contract, requestContext, status)) return;
      const about = contract.role === "operator" ? null : requestContext.tenantId || null;
      try {
        await identity.audit.write({
          tenantId: actor?.tenantId ?? about,
          userId: actor?.userId ?? session?.user.id ?? null,
          userEmail: actor?.email ?? session?.user.email ?? null,
          action: contract.operationId,
          target: requestContext.path.replace(MOUNT, "").slice(0, PATH_LENGTH_MAX),
          ip: origins.ip,
          outcome: status < 400 ? "done" : status < 500 ? "refused" : "failed",
        });
      } catch (error) {
        log.error("audit.not_written", {
          request_id: requestContext.requestId,
          action: contract.operationId,
          error: describeError(error),
        });
      }
    },
  };
}
