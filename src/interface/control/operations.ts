/**
 * The operator's commands as data: what each takes (Zod) and how it is carried out on the
 * `OperatorPort`. The control socket and the direct way run the same table.
 */
import { isAbsolute } from "node:path";
import { z } from "zod";
import type { JsonObject } from "../../core/json.ts";
import { EXTRA_NETWORKS_MAX, TRUNK_CHANNELS_MAX } from "../../domain/call/sip-port.ts";
import { KEY_NETWORKS_MAX, KEY_SCOPES } from "../../domain/tenant/key-limits.ts";
import { PREFIX_PATTERN, SHORT_NUMBER_PATTERN } from "../../domain/tenant/tenant-settings.ts";
import { isMasterKey, isNetwork } from "../../platform/config/formats.ts";
import type { OperatorPort } from "./operator-port.ts";

const id = z.int().positive();
const month = z.string().max(7);
const e164Text = z.string().max(32);
const nothing = z.strictObject({});

interface Operation<Input extends z.ZodType, Output> {
  readonly input: Input;
  run(port: OperatorPort, input: z.output<Input>): Promise<Output>;
}

const operation = <Input extends z.ZodType, Output>(
  input: Input,
  run: (port: OperatorPort, input: z.output<Input>) => Promise<Output>,
): Operation<Input, Output> => ({ input, run });

export const operations = {
  "tenant.create": operation(
    z.strictObject({
      name: z.string().max(500),
      email: z.string().max(500),
      plan: z.string().max(100).nullable(),
    }),
    (port, draft) => port.createTenant(draft),
  ),
  "tenant.list": operation(nothing, (port) => port.listTenants()),
  "tenant.suspend": operation(z.strictObject({ tenant: id }), (port, { tenant }) =>
    port.setSuspended(tenant, true),
  ),
  "tenant.resume": operation(z.strictObject({ tenant: id }), (port, { tenant }) =>
    port.setSuspended(tenant, false),
  ),
  "tenant.dialing": operation(
    z.strictObject({
      tenant: id,
      allowed_prefixes: z.array(z.string().regex(PREFIX_PATTERN)).min(1).max(50).nullish(),
      short_numbers: z.array(z.string().regex(SHORT_NUMBER_PATTERN)).min(1).max(50).nullish(),
      calls_per_minute_max: z.int().min(1).max(600).optional(),
      daily_spend_max_eur: z.number().min(0).max(100_000).nullish(),
    }),
    (port, { tenant, ...changes }) => port.setDialing(tenant, changes),
  ),
  "setup.link": operation(nothing, (port) => port.people.ownerLink()),
  "user.create": operation(
    z.strictObject({
      tenant: id,
      email: z.string().max(500),
      name: z.string().min(1).max(120).nullable(),
      role: z.enum(["owner", "member", "viewer"]),
      operator: z.boolean(),
    }),
    (port, draft) => port.people.createUser(draft),
  ),
  "user.reset_password": operation(
    z.strictObject({
      email: z.string().max(500),
      mail: z.boolean(),
      remove_second_factor: z.boolean(),
    }),
    (port, input) => port.people.resetPassword(input),
  ),
  "user.list": operation(nothing, (port) => port.people.listUsers()),
  "key.create": operation(
    z.strictObject({
      ...{ tenant: id, label: z.string().min(1).max(120) },
      scopes: z.array(z.enum(KEY_SCOPES)).nullable().default(null),
      expires_at: z.number().nullable().default(null),
      networks: z.array(z.string().max(50)).max(KEY_NETWORKS_MAX).nullable().default(null),
    }),
    (port, { tenant, label, scopes, expires_at, networks }) =>
      port.createKey(tenant, label, { scopes, expiresAt: expires_at, networks }),
  ),
  "logs.read": operation(
    z.strictObject({
      call: z.string().max(64).nullable(),
      level: z.enum(["info", "warn", "error"]),
      limit: z.int().min(1).max(2000),
    }),
    (port, question) => port.readLogs(question),
  ),
  "key.rotate_master": operation(
    z.strictObject({
      next: z.string().refine(isMasterKey, { error: "32 bytes in base64" }),
      purposes: z.boolean().default(false),
    }),
    (port, { next, purposes }) => port.rotateMasterKey(next, purposes),
  ),
  "trunk.set": operation(
    z.strictObject({
      tenant: id,
      server: z.string().min(1).max(253),
      port: z.int().min(0).max(65_535),
      transport: z.enum(["udp", "tcp", "tls", "auto"]),
      username: z.string().min(1).max(200),
      password: z.string().max(1000),
      realm: z.string().max(200).nullable(),
      outbound_proxy: z.string().max(300).nullable(),
      caller_id: e164Text,
      register: z.boolean(),
      channels: z.int().min(1).max(TRUNK_CHANNELS_MAX).nullable(),
      extra_networks: z.array(z.string().refine(isNetwork)).max(EXTRA_NETWORKS_MAX).optional(),
    }),
    (port, draft) => port.setTrunk(draft),
  ),
  "trunk.list": operation(nothing, (port) => port.listTrunks()),
  "trunk.test": operation(
    z.strictObject({ trunk: id, calls: z.boolean().default(true) }),
    (port, { trunk, calls }) => port.testTrunk(trunk, { calls }),
  ),
  "tool.create": operation(
    z.strictObject({
      tenant: id,
      name: z.string().max(500),
      description: z.string().max(10_000),
      url: z.string().max(5000),
      secret_header: z.string().max(500),
      secret: z.string().max(5000),
      agent: id.nullable(),
      parameters: z.record(z.string(), z.json()),
      enabled: z.boolean(),
      caller_level: z.literal([0, 1, 2]).default(0),
    }),
    (port, draft) => port.tools.create({ ...draft, parameters: draft.parameters as JsonObject }),
  ),
  "tool.list": operation(z.strictObject({ tenant: id }), (port, { tenant }) =>
    port.tools.list(tenant),
  ),
  "tool.delete": operation(z.strictObject({ tenant: id, id }), (port, { tenant, id: tool }) =>
    port.tools.remove(tenant, tool),
  ),
  "contact.list": operation(
    z.strictObject({
      ...{ tenant: id, search: z.string().max(200).nullable() },
      ...{ limit: z.int().min(1).max(200), offset: z.int().min(0) },
    }),
    (port, { tenant, ...page }) => port.contacts.list(tenant, page),
  ),
  "contact.import": operation(
    z.strictObject({
      ...{ tenant: id, csv: z.string().max(1_000_000), country: z.string().max(10).nullable() },
      ...{ dry_run: z.boolean(), skip_bad: z.boolean() },
    }),
    (port, file) => port.contacts.import(file),
  ),
  "contact.export": operation(
    z.strictObject({ tenant: id, after: z.int().min(0) }),
    (port, { tenant, after }) => port.contacts.export(tenant, after),
  ),
  "campaign.list": operation(z.strictObject({ tenant: id }), (port, { tenant }) =>
    port.contacts.campaigns(tenant),
  ),
  "campaign.act": operation(
    z.strictObject({
      ...{ tenant: id, campaign: id },
      action: z.enum(["start", "pause", "resume", "cancel"]),
    }),
    (port, { tenant, campaign, action }) => port.contacts.act(tenant, campaign, action),
  ),
  credit: operation(
    z.strictObject({ tenant: id, eur: z.number(), note: z.string().max(500) }),
    (port, { tenant, eur, note }) => port.credit(tenant, eur, note),
  ),
  "backup.create": operation(
    z.strictObject({
      to: z.string().max(4096).refine(isAbsolute, { error: "an absolute path" }).nullable(),
    }),
    (port, { to }) => port.createBackup(to),
  ),
  "statement.summary": operation(z.strictObject({ tenant: id, month }), (port, { tenant, month }) =>
    port.statements.summary(tenant, month),
  ),
  "statement.rows": operation(z.strictObject({ tenant: id, month }), (port, { tenant, month }) =>
    port.statements.rows(tenant, month),
  ),
  "statement.lines": operation(
    z.strictObject({ tenant: id, month, after: z.int().min(0) }),
    (port, { tenant, month, after }) => port.statements.lines(tenant, month, after),
  ),
  "statement.calls": operation(
    z.strictObject({ tenant: id, month, after: z.int().min(0) }),
    (port, { tenant, month, after }) => port.statements.calls(tenant, month, after),
  ),
  "checkout.list": operation(nothing, (port) => port.listCheckouts()),
  "checkout.confirm": operation(z.strictObject({ id: z.string().max(100) }), (port, { id }) =>
    port.confirmCheckout(id),
  ),
  "person.erase": operation(
    z.strictObject({ tenant: id, number: e164Text, dry_run: z.boolean() }),
    (port, { tenant, number, dry_run }) => port.erasePerson(tenant, number, dry_run),
  ),
  "call.place": operation(z.strictObject({ agent: id, to: e164Text }), (port, { agent, to }) =>
    port.placeCall(agent, to),
  ),
} as const;

export type OperationName = keyof typeof operations;
export type InputOf<Name extends OperationName> = z.input<(typeof operations)[Name]["input"]>;
export type OutputOf<Name extends OperationName> = Awaited<
  ReturnType<(typeof operations)[Name]["run"]>
>;

/** The one operation that streams. */
export const followInput = z.strictObject({ tenant: id, call_uuid: z.uuid() });

export const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name);

/** Throws ZodError for an input out of shape, AppError for what the operator must fix. */
export function runOperation(
  port: OperatorPort,
  name: OperationName,
  input: unknown,
): Promise<unknown> {
  const { input: schema, run } = operations[name] as Operation<z.ZodType, unknown>;
  return run(port, schema.parse(input));
}
