/** The language in which a tenant's mails are written. */
import { sql } from "drizzle-orm";
import type { AgentLanguage } from "../../../domain/agent/agent.ts";

/**
 * Of the user whose address the tenant has, else of its first owner. A column of a query of `tenants`, which is
 * named because a column of one table has no table before it.
 */
export const readerLocale = sql<AgentLanguage>`coalesce(
  (select u.locale from users u where u.email = lower(tenants.email)),
  (select u.locale from memberships m join users u on u.id = m.user_id
    where m.tenant_id = tenants.id and m.role = 'owner' order by m.user_id limit 1),
  'en')`;
