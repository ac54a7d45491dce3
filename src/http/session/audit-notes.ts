/**
 * The audit log, written for every change that came through a session and for every sign-in,
 * successful or not. Never what was sent: the operation, the path, who, from where, how it ended.
 */
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Identity } from "../../identity/identity.ts";
import type { Contract } from "../contract.ts";
import { DASHBOARD_MOUNT } from "../dashboard/document.ts";
import type { Exchange } from "../exchange.ts";
import { MOUNTS } from "../route-table.ts";

const PATH_LENGTH_MAX = 200;
const MOUNT = new RegExp(`^(?:${[...MOUNTS, DASHBOARD_MOUNT].join("|")})(?=/)`);

export function createAuditNotes({ identity, log }: { identity: Identity; log: Log }) {
  return {
    /** Never throws: the change is made, whatever becomes of its note. */
    async note(contract: Contract, exchange: Exchange, status: number): Promise<void> {
      const { session, actor, origins } = exchange;
      if (contract.method === "GET" || !origins || !(session || actor)) return;
      // The lock-out speaks; a flood is not to fill the log.
      if (status === 429) return;
      const about = contract.role === "operator" ? null : exchange.tenantId || null;
      try {
        await identity.audit.write({
          tenantId: actor?.tenantId ?? about,
          userId: actor?.userId ?? session?.user.id ?? null,
          userEmail: actor?.email ?? session?.user.email ?? null,
          action: contract.operationId,
          target: exchange.path.replace(MOUNT, "").slice(0, PATH_LENGTH_MAX),
          ip: origins.ip,
          outcome: status < 400 ? "done" : status < 500 ? "refused" : "failed",
        });
      } catch (error) {
        log.error("audit.not_written", {
          request_id: exchange.requestId,
          action: contract.operationId,
          error: describeError(error),
        });
      }
    },
  };
}
