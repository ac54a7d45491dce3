/** What only the operator of the appliance may see and do, over all tenants. */

import { basename } from "node:path";
import { z } from "zod";
import { AppError, notFound } from "../../../../core/errors.ts";
import { wireOf } from "../../../../core/wire-names.ts";
import type { BackupSummary } from "../../../../operations/backup/backups.ts";
import { Backup } from "../../../contracts/appliance.ts";
import { askServices } from "../../../contracts/ask.ts";
import { type Checkout, checkoutFields } from "../../../contracts/money.ts";
import { ApplianceNode } from "../../../contracts/nodes.ts";
import { type OutputOf, operations } from "../../../contracts/operations.ts";
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
import { presentTenant, Tenant } from "../../../contracts/tenants.ts";
import { OperatorTrunk, presentTrunk } from "../../../contracts/trunks.ts";
import { contract, type Route, route } from "../../contract.ts";
import type { ProductContext } from "./context.ts";

const trunkHealth = OperatorTrunk.pick({ server: true, status: true, explanation: true });

export const OperatorTenant = z
  .strictObject({ ...Tenant.shape, live_calls: shown(z.int(), "Calls with media now.", 0) })
  .meta({ id: "OperatorTenant" });

const TenantHealth = z
  .strictObject({
    ...OperatorTenant.shape,
    calls: shown(z.int(), "Calls of the last 24 hours.", 140),
    failed: shown(z.int(), "How many of them failed.", 2),
    p95_ms: shown(
      z.int().nullable(),
      "95th percentile of their answer times; null: none was measured.",
      900,
    ),
    trunk: trunkHealth.nullable().meta({ description: "null: it has none." }),
  })
  .meta({ id: "TenantHealth" });

export const listTenants = contract({
  operationId: "operatorListTenants",
  at: "GET /operator/tenants",
  tag: "Operator",
  role: operations["tenant.list"].role,
  summary: "Tenants, and how their calls went in the last 24 hours",
  query: z.strictObject({
    search: field(z.string().max(120), {
      description: "In name or e-mail address.",
      example: "dental",
      must: "be text of at most 120 characters",
      ...{ reason: "length", params: { from: 0, to: 120 } },
    }).default(""),
    limit: page.limit(50),
    offset: page.offset(),
  }),
  reply: okReply({
    tenants: z.array(TenantHealth),
    total: shown(z.int(), "How many there are in all.", 1),
  }),
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

export const tryEngine = contract({
  operationId: "operatorTryEngine",
  at: "POST /operator/engine/try",
  tag: "Operator",
  role: operations["engine.try"].role,
  summary: "One request to each part of the engine",
  description: "Costs what the providers take for it.",
  body: operations["engine.try"].input.meta({ id: "OperatorEngineTrial" }),
  reply: okReply(operations["engine.try"].output.shape),
  errors: ["conflict"],
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

const OperatorNode = ApplianceNode.meta({ id: "OperatorNode" });

export const listNodes = contract({
  operationId: "operatorListNodes",
  at: "GET /operator/nodes",
  tag: "Operator",
  role: operations["node.list"].role,
  summary: "The nodes that share the store, with their trunks and calls",
  reply: okReply({ nodes: z.array(OperatorNode) }),
});

export const drainNode = contract({
  operationId: "operatorDrainNode",
  at: "PATCH /operator/nodes",
  noun: "node",
  tag: "Operator",
  role: operations["node.drain"].role,
  summary: "Drain a node, or let it take trunks again",
  description: "A drained node gives its trunks to the others. Its live calls go on.",
  body: z
    .strictObject({
      ...operations["node.drain"].input.shape,
      draining: flag("True: it gives its trunks away.", true),
    })
    .meta({ id: "OperatorNodeChanges" }),
  reply: okReply({ node: OperatorNode }),
  errors: ["conflict"],
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
    next_attempt_at: timeOrNull("When it is tried again."),
    created_at: timeOut("When it was queued."),
  })
  .meta({ id: "OperatorMail" });

export const listMails = contract({
  operationId: "operatorListMails",
  at: "GET /operator/mails",
  tag: "Operator",
  role: "operator",
  summary: "Mails that wait or failed, newest first",
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
  summary: "Try a mail that failed once more, with all its attempts",
  reply: okReply({ id: shown(z.int(), "Id of the mail.", 1), status: z.literal("pending") }),
  errors: ["conflict"],
});

const NO_CALLS = { calls: 0, failed: 0, p95Ms: null };
const NOTICES_MAX = 100;
const SEVERITY = ["skipped", "ok", "warning", "failed"] as const;

const presentBackup = (backup: BackupSummary) => ({ ...backup, file: basename(backup.file) });

const resultOf = (rank: number) => {
  const worst = SEVERITY[rank] ?? "ok";
  return worst === "skipped" ? "ok" : worst;
};

function operatorParts({ dependencies, settings, parts }: ProductContext) {
  const { services } = dependencies;
  const { live, mailTest, logs, statusSources } = parts;
  const ask = askServices(services);
  const withCalls = (tenant: OutputOf<"tenant.create">) => ({
    ...tenant,
    live_calls: live.list(tenant.id).length,
  });
  async function presentCheckouts(checkouts: readonly Checkout[]) {
    const names = new Map((await ask("tenant.list", {})).map(({ id, name }) => [id, name]));
    return checkouts.map((checkout) => ({
      ...checkout,
      tenant_name: names.get(checkout.tenant_id) ?? "",
    }));
  }
  return {
    ask,
    withCalls,
    presentCheckouts,
    settings,
    dependencies,
    parts,
    services,
    statusSources,
    mailTest,
    logs,
  };
}

type Parts = ReturnType<typeof operatorParts>;

/** Tenants, and the money that they pay by transfer. */
const tenantRoutes = ({ ask, withCalls, presentCheckouts, services }: Parts): Route[] => [
  route(listTenants)(async ({ query: { search, ...asked } }) => {
    const { tenants, total } = await services.tenants.page(search, asked);
    const ids = tenants.map(({ id }) => id);
    const [trunks, activity] = await Promise.all([
      services.trunks.list(ids),
      services.tenants.activity(ids),
    ]);
    const trunkOf = new Map(trunks.map((state) => [state.trunk.tenantId, presentTrunk(state)]));
    return {
      ...{ ok: true, total },
      tenants: tenants.map((tenant) => {
        const { calls, failed, p95Ms } = activity.get(tenant.id) ?? NO_CALLS;
        const trunk = trunkOf.get(tenant.id);
        return {
          ...withCalls(presentTenant(tenant)),
          ...{ calls, failed, p95_ms: p95Ms },
          trunk: trunk
            ? { server: trunk.server, status: trunk.status, explanation: trunk.explanation }
            : null,
        };
      }),
    };
  }),
  route(createTenant)(async ({ body }) => ({
    ok: true,
    tenant: withCalls(await ask("tenant.create", body)),
  })),
  route(updateTenant)(async ({ params: { id }, body: { plan, suspended } }) => {
    let tenant = presentTenant(await services.tenants.get(id));
    if (plan !== undefined) tenant = await ask("tenant.plan", { tenant: id, plan });
    if (suspended !== undefined)
      tenant = await ask(suspended ? "tenant.suspend" : "tenant.resume", { tenant: id });
    return { ok: true, tenant: withCalls(tenant) };
  }),
  route(creditTenant)(async ({ params: { id }, body }) => ({
    ok: true,
    ...(await ask("credit", { tenant: id, ...body })),
  })),
  route(listWaitingCheckouts)(async () => ({
    ok: true,
    checkouts: await presentCheckouts(await ask("checkout.list", {})),
  })),
  route(confirmCheckout)(async ({ params }) => {
    const confirmed = await ask("checkout.confirm", { id: params.checkout_id });
    const [checkout] = await presentCheckouts([confirmed]);
    if (!checkout) throw notFound("checkout");
    return { ok: true, checkout };
  }),
];

/** The appliance's health and its backups. */
const applianceRoutes = ({
  settings,
  dependencies,
  parts,
  services,
  statusSources,
  ask,
}: Parts): Route[] => [
  route(listCallNotices)(async () => ({
    ok: true,
    notices: (await services.trunks.notices(NOTICES_MAX)).map(({ notice, tenantName }) =>
      wireOf(CallNotice, notice, { tenant_name: tenantName }),
    ),
  })),
  route(getHealth)(async () => {
    if (!parts.checks)
      throw new AppError({
        code: "unavailable",
        publicMessage: "This server was started without the doctor; run `linevoice doctor`.",
      });
    const checks = (await parts.checks()).map(({ number, name, result, finding, remedy }) => ({
      ...{ number, name, result, finding, remedy },
    }));
    const warnings = [...(dependencies.health.warnings?.() ?? [])];
    const ofWarnings = SEVERITY.indexOf(warnings.length === 0 ? "ok" : "warning");
    const ranks = checks.map(({ result }) => SEVERITY.indexOf(result));
    const result = resultOf(Math.max(ofWarnings, ...ranks));
    return { ok: true, version: settings.version, result, warnings, checks };
  }),
  route(tryEngine)(async ({ body }) => ({
    ok: true,
    ...(await ask("engine.try", body)),
  })),
  route(listNodes)(async () => ({ ok: true, nodes: await ask("node.list", {}) })),
  route(drainNode)(async ({ body: { node, draining } }) => ({
    ok: true,
    node: await ask(draining ? "node.drain" : "node.resume", { node }),
  })),
  route(listBackups)(async () => ({
    ok: true,
    backups: parts.backups().map(presentBackup),
    problem: statusSources.backup().problem,
  })),
  route(createBackup)(async () => ({
    ok: true,
    backup: presentBackup(await ask("backup.create", { to: null })),
  })),
];

const logAndMailRoutes = ({ parts, services, mailTest, logs }: Parts): Route[] => [
  route(listLogs)(async ({ query }) => {
    const { limit, offset, level, call } = query;
    const { lines, total } = logs.read({
      ...{ limit, offset },
      ...(level === undefined ? {} : { level }),
      ...(call === undefined ? {} : { callUuid: call }),
    });
    return {
      ok: true,
      lines: lines.map(({ atMs, level: lineLevel, event, callUuid, fields }) => ({
        at: new Date(atMs).toISOString(),
        ...{ level: lineLevel, event, call_uuid: callUuid, fields: { ...fields } },
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

export const operatorRoutes = (context: ProductContext): Route[] => {
  const parts = operatorParts(context);
  return [...tenantRoutes(parts), ...applianceRoutes(parts), ...logAndMailRoutes(parts)];
};
