/** The language of a tenant's mails. */
import { sql } from "drizzle-orm";
import type { AgentLanguage } from "../../features/agent/agent.ts";

/**
 * Locale of the user with the tenant's address, else of its first owner. For queries of `tenants`. The table
 * name is explicit because Drizzle omits it in queries of one table.
 */
export const readerLocale = sql<AgentLanguage>`coalesce(
  (select u.locale from users u where u.email = lower(tenants.email)),
  (select u.locale from memberships m join users u on u.id = m.user_id
    where m.tenant_id = tenants.id and m.role = 'owner' order by m.user_id limit 1),
  'en')`;
