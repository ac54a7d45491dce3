/** Waiting and failed mails of all tenants, for the operator. */

import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../core/database.ts";
import { conflict, notFound } from "../../core/errors.ts";
import { mailAdminStore } from "./mail-admin-store.ts";

export type QueuedMails = ReturnType<typeof createQueuedMails>;

export function createQueuedMails(deps: { readonly database: Database; readonly clock: Clock }) {
  const { database, clock } = deps;
  return {
    /** Newest first. */
    async list(
      status: "pending" | "dead",
      page: { readonly limit: number; readonly offset: number },
    ) {
      const store = mailAdminStore(database.read);
      const [mails, total] = await Promise.all([store.list(status, page), store.total(status)]);
      return { mails, total };
    },

    /**
     * Puts a failed mail back into the queue with a new retry count. The caller must wake the mailer. Throws
     * not_found, conflict.
     */
    async retry(id: number): Promise<void> {
      await database.tx(async (queries) => {
        const store = mailAdminStore(queries);
        const status = await store.statusOf(id);
        if (status === null) throw notFound("mail");
        if (status !== "dead")
          throw conflict(
            `This email has the status ${status}. Only a failed email can be retried.`,
          );
        await store.revive(id, clock.now());
      });
    },
  };
}
