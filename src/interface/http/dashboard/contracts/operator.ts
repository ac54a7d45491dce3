/** What only the operator of the appliance may see and do, over all tenants. */
import { z } from "zod";
import { Backup } from "../../../contracts/appliance.ts";
import { checkoutFields } from "../../../contracts/money.ts";
import { operations } from "../../../contracts/operations.ts";
import {
  choice,
  emailIn,
  field,
  flag,
  okReply,
  page,
  shown,
  timeOrNull,
  timeOut,
} from "../../../contracts/schema.ts";
import { Tenant } from "../../../contracts/tenants.ts";
import { contract } from "../../contract.ts";

const optionalTime = (what: string) => timeOrNull(`${what}`);

export const OperatorTenant = z
  .strictObject({ ...Tenant.shape, live_calls: shown(z.int(), "Calls with media now.", 0) })
  .meta({ id: "OperatorTenant" });

export const listTenants = contract({
  operationId: "operatorListTenants",
  at: "GET /operator/tenants",
  tag: "Operator",
  role: operations["tenant.list"].role,
  summary: "Every tenant",
  reply: okReply({ tenants: z.array(OperatorTenant) }),
});

export const createTenant = contract({
  operationId: "operatorCreateTenant",
  at: "POST /operator/tenants",
  tag: "Operator",
  role: operations["tenant.create"].role,
  summary: "Make a tenant",
  body: operations["tenant.create"].input.meta({ id: "OperatorNewTenant" }),
  reply: okReply({ tenant: OperatorTenant }),
});

export const updateTenant = contract({
  operationId: "operatorUpdateTenant",
  at: "PATCH /operator/tenants/{id}",
  noun: "tenant",
  tag: "Operator",
  role: operations["tenant.plan"].role,
  summary: "Change a tenant's plan, suspend or resume it",
  description: "Live calls go on.",
  body: z
    .strictObject({
      plan: operations["tenant.plan"].input.shape.plan.optional(),
      suspended: flag("True: makes and takes no calls.", true).optional(),
    })
    .meta({ id: "OperatorTenantChanges" }),
  reply: okReply({ tenant: OperatorTenant }),
});

export const creditTenant = contract({
  operationId: "operatorCreditTenant",
  at: "POST /operator/tenants/{id}/credit",
  noun: "tenant",
  tag: "Operator",
  role: operations.credit.role,
  summary: "Give or take wallet balance",
  body: operations.credit.input.omit({ tenant: true }).meta({ id: "OperatorCredit" }),
  reply: okReply(operations.credit.output.shape),
  errors: ["conflict"],
});

export const OperatorCheckout = z
  .strictObject({
    ...checkoutFields,
    tenant_name: shown(z.string(), "Its name.", "Example UAB"),
  })
  .meta({ id: "OperatorCheckout" });

export const listWaitingCheckouts = contract({
  operationId: "operatorListCheckouts",
  at: "GET /operator/checkouts",
  tag: "Operator",
  role: operations["checkout.list"].role,
  summary: "Bank transfers that are waited for, newest first",
  reply: okReply({ checkouts: z.array(OperatorCheckout) }),
});

export const confirmCheckout = contract({
  operationId: "operatorConfirmCheckout",
  at: "POST /operator/checkouts/{checkout_id}/confirm",
  noun: "checkout",
  tag: "Operator",
  role: operations["checkout.confirm"].role,
  summary: "The money of a transfer has arrived",
  description: "Books it once, however often it is asked for.",
  reply: okReply({ checkout: OperatorCheckout }),
  errors: ["conflict"],
});

export const getHealth = contract({
  operationId: "operatorGetHealth",
  at: "GET /operator/health",
  tag: "Operator",
  role: "operator",
  summary: "The doctor's checks of this appliance",
  reply: okReply({
    version: shown(z.string(), "Of the appliance.", "0.1.0"),
    result: shown(z.enum(["ok", "warning", "failed"]), "The worst.", "ok"),
    warnings: shown(
      z.array(z.string()),
      "What should be fixed although calls go on, as /readyz has it.",
      [],
    ),
    checks: z.array(
      z.strictObject({
        number: shown(z.int(), "Number of the check.", 1),
        name: shown(z.string(), "What was checked.", "disk"),
        result: shown(z.enum(["ok", "warning", "failed", "skipped"]), "Its result.", "ok"),
        finding: shown(z.string(), "What was found.", "5000 MiB are free."),
        remedy: shown(z.string().nullable(), "What fixes it.", null),
      }),
    ),
  }),
  errors: ["unavailable"],
});

export const CallNotice = z
  .strictObject({
    tenant_id: shown(z.int(), "Id of the company.", 1),
    tenant_name: shown(z.string(), "Its name.", "Acme"),
    kind: shown(
      z.enum(["number_conflict", "number_claimed", "unknown_source"]),
      "number_conflict: several trunks claim the number, so its calls are refused; number_claimed: the company asked for a number that another has; unknown_source: the address used the trunk's Contact user and is not the trunk's.",
      "number_conflict",
    ),
    subject: shown(z.string(), "The number, or the address.", "37061111111"),
    times: shown(z.int(), "How often, at most once a minute.", 3),
    last_at: timeOut("When it was last seen."),
  })
  .meta({ id: "CallNotice" });

export const listCallNotices = contract({
  operationId: "operatorListCallNotices",
  at: "GET /operator/call-notices",
  tag: "Operator",
  role: "operator",
  summary: "Calls that nobody got, and numbers that two companies claim; the newest 100",
  reply: okReply({ notices: z.array(CallNotice) }),
});

const NamedBackup = Backup.meta({ id: "Backup" });

export const listBackups = contract({
  operationId: "operatorListBackups",
  at: "GET /operator/backups",
  tag: "Operator",
  role: "operator",
  summary: "Backups, newest first",
  reply: okReply({
    backups: z.array(NamedBackup),
    problem: shown(z.string().nullable(), "Why the last one failed.", null),
  }),
});

export const createBackup = contract({
  operationId: "operatorCreateBackup",
  at: "POST /operator/backups",
  tag: "Operator",
  role: operations["backup.create"].role,
  summary: "Make a backup now",
  reply: okReply({ backup: NamedBackup }),
  errors: ["conflict"],
});

export const listLogs = contract({
  operationId: "operatorListLogs",
  at: "GET /operator/logs",
  tag: "Operator",
  role: "operator",
  summary: "The newest log lines, newest first",
  audited: true,
  description: "The last 2000 lines since the start, personal data masked.",
  query: z.strictObject({
    limit: page.limit(100),
    offset: page.offset(),
    level: choice(
      ["debug", "info", "warn", "error"],
      "Only this level or worse.",
      "warn",
    ).optional(),
    call: field(z.uuid(), {
      description: "Only lines of this call.",
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
  summary: "Send a test mail now",
  description: "A failed mail is a result, not an error.",
  body: z
    .strictObject({
      to: emailIn("To whom."),
    })
    .meta({ id: "OperatorMailTest" }),
  reply: okReply({
    sent: shown(z.boolean(), "Whether the provider accepted it.", true),
    provider: shown(z.string(), "Which provider.", "smtp"),
    error: shown(z.string().nullable(), "Why not.", null),
    duration_ms: shown(z.int(), "How long it took.", 87),
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
    last_error: shown(z.string().nullable(), "Why the last one failed.", "421 try later"),
    next_attempt_at: optionalTime("When it is tried again."),
    created_at: timeOut("When it was queued."),
  })
  .meta({ id: "OperatorMail" });

export const listMails = contract({
  operationId: "operatorListMails",
  at: "GET /operator/mails",
  tag: "Operator",
  role: "operator",
  summary: "Mails that wait or were given up, newest first",
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
  summary: "Try a mail that was given up once more, with all its attempts",
  reply: okReply({ id: shown(z.int(), "Id of the mail.", 1), status: z.literal("pending") }),
  errors: ["conflict"],
});
