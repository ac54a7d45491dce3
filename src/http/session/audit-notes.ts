/**
 * Writes the audit log: changes through a session, sign-in attempts, reads of personal data (recordings,
 * exports, server log), and API key requests with effects on people or money. An entry has operation, path,
 * person, address and result. For settings it has the changed values as well (session/audit-details.ts). It
 * never contains secrets or caller data.
 */
import { BoundedMap } from "../../core/bounded-map.ts";
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Identity } from "../../features/identity/identity.ts";
import type { ApiKeys } from "../../features/key/api-keys.ts";
import type { Contract } from "../contract.ts";
import { DASHBOARD_MOUNT, MOUNTS } from "../mounts.ts";
import type { RequestContext } from "../request-context.ts";

const PATH_LENGTH_MAX = 200;
const MOUNT = new RegExp(`^(?:${[...MOUNTS, DASHBOARD_MOUNT].join("|")})(?=/)`);

/** Players request a recording in parts and pages reload lists, so repeated reads create one entry. */
const READ_AGAIN_MS = 15 * 60_000;
const READS_REMEMBERED_MAX = 2_000;

interface AuditNotesDependencies {
  readonly identity: Identity;
  readonly apiKeys: Pick<ApiKeys, "list">;
  readonly clock: Clock;
  readonly log: Log;
}

export type AuditNotes = ReturnType<typeof createAuditNotes>;

export function createAuditNotes({ identity, apiKeys, clock, log }: AuditNotesDependencies) {
  /** Time of each logged read, oldest first. */
  const reads = new BoundedMap<string, number>(READS_REMEMBERED_MAX);

  function isReadAgain(
    contract: Contract,
    { session, keyId, path }: RequestContext,
    status: number,
  ): boolean {
    const key = `${session?.id ?? keyId} ${contract.operationId} ${path} ${status < 400}`;
    const nowMs = clock.monotonic();
    const before = reads.get(key);
    if (before !== undefined && nowMs - before < READ_AGAIN_MS) return true;
    reads.set(key, nowMs);
    return false;
  }

  return {
    /** True if the request may need an entry. */
    concerns: ({ audited }: Contract, { origins, keyId }: RequestContext): boolean =>
      origins !== null || (audited === true && keyId !== 0),

    /** `ip`: the client's address. Never throws: the change is done even if its entry cannot be written. */
    async note(
      contract: Contract,
      requestContext: RequestContext,
      status: number,
      ip: string,
    ): Promise<void> {
      const { session, actor, keyId } = requestContext;
      const isRead = contract.method === "GET";
      if ((isRead && !contract.audited) || !(session || actor || keyId)) return;
      // 429 creates no entry: a flood of attempts must not fill the log.
      if (status === 429) return;
      if (isRead && isReadAgain(contract, requestContext, status)) return;
      const details = status < 400 ? (actor?.details ?? requestContext.details) : null;
      const about = contract.role === "operator" ? null : requestContext.tenantId || null;
      try {
        await identity.audit.write({
          tenantId: actor?.tenantId ?? about,
          userId: actor?.userId ?? session?.user.id ?? null,
          userEmail: actor?.email ?? session?.user.email ?? null,
          action: contract.operationId,
          target: requestContext.path.replace(MOUNT, "").slice(0, PATH_LENGTH_MAX),
          ip,
          outcome: status < 400 ? "done" : status < 500 ? "refused" : "failed",
          details:
            keyId === 0 ? details : { ...details, key: await labelOf(apiKeys, requestContext) },
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

/** A key that revoked itself has no label any more. */
async function labelOf(
  apiKeys: Pick<ApiKeys, "list">,
  { tenantId, keyId }: RequestContext,
): Promise<string> {
  const keys = await apiKeys.list(tenantId);
  return keys.find(({ id }) => id === keyId)?.label ?? `#${keyId}`;
}
