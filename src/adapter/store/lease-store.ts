/**
 * Leases of a process that is gone. Only for a database that is this process's alone (a file, whose
 * directory is locked): then every lease found at the start is a dead one's, and waiting for it to run
 * out would only delay what a crash has interrupted.
 */
import { isNotNull } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import { mails, outbox, schedules } from "./schema/index.ts";

const noLease = { leaseOwner: null, leaseUntil: null };

export async function dropDeadLeases(queries: Queries): Promise<void> {
  for (const table of [mails, outbox, schedules])
    await queries.update(table).set(noLease).where(isNotNull(table.leaseOwner));
}
