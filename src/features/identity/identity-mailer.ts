/**
 * Sends emails to users through the mail queue. Each email is assigned to a tenant, and its times use the
 * tenant's time zone.
 */
import { describeError } from "../../core/errors.ts";
import type { IdentityDependencies } from "./dependencies.ts";
import type { ZonedMail } from "./mails.ts";
import type { IdentityStore } from "./stores.ts";

export type IdentityMailer = ReturnType<typeof createIdentityMailer>;

export function createIdentityMailer(
  deps: Pick<IdentityDependencies, "database" | "stores" | "mails" | "log">,
) {
  const { database, stores, mails, log } = deps;

  /** One of the user's tenants, otherwise the first tenant. */
  async function tenantOf({ team }: IdentityStore, userId: number): Promise<number | null> {
    const [own] = await team.membershipsOf(userId);
    return own?.tenantId ?? (await team.firstTenant())?.id ?? null;
  }

  return {
    /**
     * Returns false if no email can be sent: no queue, or no tenant. Never throws: errors are
     * logged.
     */
    async send(mail: ZonedMail, userId: number, tenantId?: number): Promise<boolean> {
      if (!mails) return false;
      try {
        const sender = await database.tx(async (queries) => {
          const store = stores(queries);
          const tenant = tenantId ?? (await tenantOf(store, userId));
          if (tenant !== null)
            await mails.enqueue(queries, tenant, mail(await store.team.timeZone(tenant)));
          return tenant;
        });
        mails.wake();
        return sender !== null;
      } catch (error) {
        log.error("identity.mail_not_queued", { user: userId, error: describeError(error) });
        return false;
      }
    },
  };
}
