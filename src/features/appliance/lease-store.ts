/**
 * Releases the leases of a dead process. Only for a database owned by this process alone (a file in a locked
 * directory). Every lease found at the start then belongs to a dead process, and waiting for it to expire
 * would only delay interrupted work.
 */
import { isNotNull } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { NO_LEASE } from "../../store/schema/columns.ts";
import { mails, outbox, schedules } from "../../store/schema/index.ts";

export async function dropDeadLeases(queries: Queries): Promise<void> {
  for (const table of [mails, outbox, schedules])
    await queries.update(table).set(NO_LEASE).where(isNotNull(table.leaseOwner));
}
