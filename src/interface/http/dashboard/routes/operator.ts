/** The operator's routes: the whole appliance, over all tenants. They carry out the operations of the contracts. */
import { basename } from "node:path";
import { AppError, notFound } from "../../../../core/errors.ts";
import { wireOf } from "../../../../core/wire-names.ts";
import type { BackupSummary } from "../../../../operations/backup/backups.ts";
import type { Checkout } from "../../../contracts/money.ts";
import { askServices, type OutputOf } from "../../../contracts/operations.ts";
import { type Route, route } from "../../contract.ts";
import * as contracts from "../contracts/operator.ts";
import type { ProductContext } from "./context.ts";

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
  const presentTenant = (tenant: OutputOf<"tenant.create">) => ({
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
    presentTenant,
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
const tenantRoutes = ({ ask, presentTenant, presentCheckouts }: Parts): Route[] => [
  route(contracts.listTenants)(async () => ({
    ok: true,
    tenants: (await ask("tenant.list", {})).map(presentTenant),
  })),
  route(contracts.createTenant)(async ({ body }) => ({
    ok: true,
    tenant: presentTenant(await ask("tenant.create", body)),
  })),
  route(contracts.updateTenant)(async ({ params: { id }, body: { plan, suspended } }) => {
    let tenant = (await ask("tenant.list", {})).find((row) => row.id === id);
    if (!tenant) throw notFound("tenant");
    if (plan !== undefined) tenant = await ask("tenant.plan", { tenant: id, plan });
    if (suspended !== undefined)
      tenant = await ask(suspended ? "tenant.suspend" : "tenant.resume", { tenant: id });
    return { ok: true, tenant: presentTenant(tenant) };
  }),
  route(contracts.creditTenant)(async ({ params: { id }, body }) => ({
    ok: true,
    ...(await ask("credit", { tenant: id, ...body })),
  })),
  route(contracts.listWaitingCheckouts)(async () => ({
    ok: true,
    checkouts: await presentCheckouts(await ask("checkout.list", {})),
  })),
  route(contracts.confirmCheckout)(async ({ params }) => {
    const confirmed = await ask("checkout.confirm", { id: params.checkout_id });
    const [checkout] = await presentCheckouts([confirmed]);
    if (!checkout) throw notFound("checkout");
    return { ok: true, checkout };
  }),
];

/** How the appliance is, and its backups. */
const applianceRoutes = ({
  settings,
  dependencies,
  parts,
  services,
  statusSources,
  ask,
}: Parts): Route[] => [
  route(contracts.listCallNotices)(async () => ({
    ok: true,
    notices: (await services.trunks.notices(NOTICES_MAX)).map(({ notice, tenantName }) =>
      wireOf(contracts.CallNotice, notice, { tenant_name: tenantName }),
    ),
  })),
  route(contracts.getHealth)(async () => {
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
  route(contracts.listBackups)(async () => ({
    ok: true,
    backups: parts.backups().map(presentBackup),
    problem: statusSources.backup().problem,
  })),
  route(contracts.createBackup)(async () => ({
    ok: true,
    backup: presentBackup(await ask("backup.create", { to: null })),
  })),
];

const logAndMailRoutes = ({ parts, services, mailTest, logs }: Parts): Route[] => [
  route(contracts.listLogs)(async ({ query }) => {
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
  route(contracts.testMail)(async ({ body }) => {
    const { sent, provider, error, durationMs } = await mailTest(body.to);
    return { ok: true, sent, provider, error, duration_ms: durationMs };
  }),
  route(contracts.listMails)(async ({ query: { status, limit, offset } }) => {
    const { mails, total } = await services.queuedMails.list(status, { limit, offset });
    return {
      ok: true,
      mails: mails.map((mail) => wireOf(contracts.QueuedMail, mail, { status })),
      total,
    };
  }),
  route(contracts.retryMail)(async ({ params: { id } }) => {
    await services.queuedMails.retry(id);
    parts.wakeMails();
    return { ok: true, id, status: "pending" };
  }),
];

export const operatorRoutes = (context: ProductContext): Route[] => {
  const parts = operatorParts(context);
  return [...tenantRoutes(parts), ...applianceRoutes(parts), ...logAndMailRoutes(parts)];
};
