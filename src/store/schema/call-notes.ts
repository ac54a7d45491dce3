/** Notes of a call besides its turns: disclosure, messages, transfers, who answered, bad line. */
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { CallNote } from "../../conversation/call-report.ts";
import { callId } from "./calls.ts";
import { id, json } from "./columns.ts";

export const callNotes = sqliteTable(
  "call_notes",
  {
    id: id(),
    callId: callId(),
    kind: text("kind", {
      enum: ["disclosure", "message", "answered_by", "language", "transfer", "tool_limit", "line"],
    }).notNull(),
    /** Time since the answer. */
    atMs: integer("at_ms").notNull(),
    note: json<CallNote>("note").notNull(),
  },
  (t) => [index("call_notes_call").on(t.callId)],
);
