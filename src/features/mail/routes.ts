/** The operator's log lines and mails. */

import { z } from "zod";
import { wireOf } from "../../core/wire-names.ts";
import { contract, type Route, route } from "../../http/contract.ts";
import {
  choice,
  emailIn,
  field,
  okReply,
  page,
  shown,
  timeOrNull,
  timeOut,
} from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";

export const listLogs = contract({
  operationId: "operatorListLogs",
  at: "GET /operator/logs",
  tag: "Operator",
  role: "operator",
  summary: "Log lines, newest first",
  audited: true,
  description: "At most 2000 lines since the start of the server. Personal data is masked.",
  query: z.strictObject({
    limit: page.limit(100),
    offset: page.offset(),
    level: choice(
      ["debug", "info", "warn", "error"],
      "Filter: this level and higher levels.",
      "warn",
    ).optional(),
    call: field(z.uuid(), {
      description: "Filter: log lines of this call.",
      example: "019aa1b2-0000-7000-8000-000000000001",
      must: "be a call's UUID",
    }).optional(),
  }),
  reply: okReply({
    lines: z.array(
      z.strictObject({
        at: shown(
          z.iso.datetime({ offset: true }),
          "When, with milliseconds.",
          "2026-11-21T04:05:06.123Z",
        ),
        level: shown(z.enum(["debug", "info", "warn", "error"]), "How bad.", "info"),
        event: shown(z.string(), "What.", "call.ended"),
        call_uuid: shown(z.string().nullable(), "Of which call.", null),
        fields: shown(z.record(z.string(), z.unknown()), "The rest.", { reason: "caller_hangup" }),
      }),
    ),
    total: shown(z.int(), "Lines that match.", 2000),
  }),
});

export const testMail = contract({
  operationId: "operatorTestMail",
  at: "POST /operator/mail-test",
  tag: "Operator",
  role: "operator",
  summary: "Send a test email now",
  description: "If sending fails, the response is still 200 and contains the reason.",
  body: z
    .strictObject({
      to: emailIn("To whom."),
    })
    .meta({ id: "OperatorMailTest" }),
  reply: okReply({
    sent: shown(z.boolean(), "Whether the provider accepted the email.", true),
    provider: shown(z.string(), "Which provider.", "smtp"),
    error: shown(z.string().nullable(), "Why not.", null),
    duration_ms: shown(z.int(), "Duration in ms.", 87),
  }),
});

export const QueuedMail = z
  .strictObject({
    id: shown(z.int(), "Id of the mail.", 1),
    tenant_id: shown(z.int(), "Whose.", 1),
    recipient: shown(z.string(), "To whom.", "office@example.com"),
    subject: shown(z.string(), "Subject.", "Call of 2026-11-21"),
    call_uuid: shown(z.string().nullable(), "About which call.", null),
    status: shown(z.enum(["pending", "dead"]), "State.", "dead"),
    attempts: shown(z.int(), "Failed attempts.", 10),
    last_error: shown(
      z.string().nullable(),
      "Reason of the last failure. `null` if there was none.",
      "421 try later",
    ),
    next_attempt_at: timeOrNull("Time of the next attempt."),
    created_at: timeOut("Time of creation."),
  })
  .meta({ id: "OperatorMail" });

export const listMails = contract({
  operationId: "operatorListMails",
  at: "GET /operator/mails",
  tag: "Operator",
  role: "operator",
  summary: "List waiting and failed emails, newest first",
  query: z.strictObject({
    limit: page.limit(50),
    offset: page.offset(),
    status: choice(["dead", "pending"], "Which.", "dead").default("dead"),
  }),
  reply: okReply({
    mails: z.array(QueuedMail),
    total: shown(z.int(), "All there are.", 1),
  }),
});

export const retryMail = contract({
  operationId: "operatorRetryMail",
  at: "POST /operator/mails/{id}/retry",
  noun: "mail",
  tag: "Operator",
  role: "operator",
  summary: "Retry a failed email, with the full number of attempts",
  reply: okReply({ id: shown(z.int(), "Id of the mail.", 1), status: z.literal("pending") }),
  errors: ["conflict"],
});

export const operatorMailRoutes = ({ dependencies, parts }: ProductContext): Route[] => {
  const { services } = dependencies;
  const { logs, mailTest } = parts;
  return [
    route(listLogs)(async ({ query }) => {
      const { limit, offset, level, call } = query;
      const { lines, total } = logs.read({
        limit,
        offset,
        ...(level === undefined ? {} : { level }),
        ...(call === undefined ? {} : { callUuid: call }),
      });
      return {
        ok: true,
        lines: lines.map(({ atMs, level: lineLevel, event, callUuid, fields }) => ({
          at: new Date(atMs).toISOString(),
          level: lineLevel,
          event,
          call_uuid: callUuid,
          fields: { ...fields },
        })),
        total,
      };
    }),
    route(testMail)(async ({ body }) => {
      const { sent, provider, error, durationMs } = await mailTest(body.to);
      return { ok: true, sent, provider, error, duration_ms: durationMs };
    }),
    route(listMails)(async ({ query: { status, limit, offset } }) => {
      const { mails, total } = await services.queuedMails.list(status, { limit, offset });
      return {
        ok: true,
        mails: mails.map((mail) => wireOf(QueuedMail, mail, { status })),
        total,
      };
    }),
    route(retryMail)(async ({ params: { id } }) => {
      await services.queuedMails.retry(id);
      parts.wakeMails();
      return { ok: true, id, status: "pending" };
    }),
  ];
};
