/** Tags and comments that users add to a call. Both are deleted with the call's transcript. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { callId } from "./calls.ts";
import { id, time } from "./columns.ts";
import { users } from "./identity.ts";
import { tenantId } from "./tenants.ts";

export const callTags = sqliteTable(
  "call_tags",
  {
    callId: callId(),
    tenantId: tenantId(),
    /** Spelling of its first user. */
    tag: text("tag").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.callId, t.tag] }),
    index("call_tags_tenant").on(t.tenantId, t.tag, t.callId),
  ],
);

export const callComments = sqliteTable(
  "call_comments",
  {
    id: id(),
    tenantId: tenantId(),
    callId: callId(),
    /** The author; null if the account is gone. */
    userId: integer("user_id").references(() => users.id, { onDelete: "set null" }),
    text: text("text").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [index("call_comments_call").on(t.callId), index("call_comments_tenant").on(t.tenantId)],
);
