/**
 * Audit log entries for the operations of the command line: who did what to which object. Read-only
 * operations have null. `runOperation` writes the entries; a missing operation is a type error.
 */
import type { z } from "zod";
import type { Services } from "../../features/appliance/services.ts";
import type { AuditChange, AuditEntry } from "../../features/identity/stores.ts";
import type { operations } from "./operations.ts";

type Names = keyof typeof operations;
type Input<Name extends Names> = z.output<(typeof operations)[Name]["input"]>;
type Output<Name extends Names> = z.output<(typeof operations)[Name]["output"]>;

interface Audited<In, Out> {
  /** Operation id of the equivalent REST or dashboard route. Null: this input changes nothing. */
  readonly action: string | ((input: In) => string | null);
  /** Tenant of the entry. Default: the input's `tenant`; null: the appliance's log. */
  readonly tenant?: (input: In, output: Out, services: Services) => Promise<number | null>;
  /** Name of the changed object. Never caller data. */
  readonly subject?: (
    input: In,
    output: Out,
    services: Services,
  ) => Promise<string | null> | string | null;
  /** Input fields whose values are shown. */
  readonly changes?: readonly (keyof In & string)[];
}

type Table = { readonly [Name in Names]: Audited<Input<Name>, Output<Name>> | null };

interface OfAgent {
  readonly tenant: number;
  readonly agent: number;
}

const agentName = async ({ tenant, agent }: OfAgent, _: unknown, { agents }: Services) =>
  (await agents.get(tenant, agent)).name;

const ofAgent = (action: string) => ({ action, subject: agentName });

const AUDITED: Table = {
  "tenant.create": {
    action: "operatorCreateTenant",
    tenant: async (_, { id }) => id,
    subject: ({ name }) => name,
  },
  "tenant.list": null,
  "tenant.plan": { action: "operatorUpdateTenant", changes: ["plan"] },
  "tenant.suspend": { action: "operatorSuspendTenant" },
  "tenant.resume": { action: "operatorResumeTenant" },
  "tenant.dialing": {
    action: ({ tenant, ...changes }) =>
      Object.keys(changes).length > 0 ? "updateTenantSettings" : null,
    changes: ["allowed_prefixes", "short_numbers", "calls_per_minute_max", "daily_spend_max_eur"],
  },
  credit: { action: "operatorCreditTenant", changes: ["eur", "note"] },
  "setup.link": { action: "operatorMakeOwnerLink" },
  "user.create": {
    action: "operatorCreateUser",
    subject: ({ email }) => email,
    changes: ["role", "operator"],
  },
  "user.reset_password": {
    action: "operatorResetPassword",
    tenant: async ({ email }, _, { identity }) => (await identity.audit.actorOf(email)).tenantId,
    subject: ({ email }) => email,
    changes: ["remove_second_factor"],
  },
  "user.list": null,
  "key.create": {
    action: "createKey",
    subject: ({ label }) => label,
  },
  "trunk.set": {
    action: "setTrunk",
    subject: ({ server }) => server,
    changes: ["server", "port", "transport", "username", "caller_id", "register"],
  },
  "trunk.list": null,
  "trunk.test": null,
  "number.confirm": { action: "operatorConfirmNumber", subject: ({ number }) => number },
  "tool.create": { action: "createTool", subject: ({ name }) => name, changes: ["url"] },
  "tool.list": null,
  "tool.delete": { action: "deleteTool", subject: ({ id }) => `#${id}` },
  "agent.versions": null,
  "agent.source": null,
  "agent.text": null,
  "agent.diff": null,
  "agent.push": {
    action: ({ dry, draft }) => (dry ? null : draft ? "updateAgentDraft" : "updateAgent"),
    subject: ({ fields }) => fields.name,
  },
  "agent.rollback": { ...ofAgent("publishAgentVersion"), changes: ["to"] },
  "agent.rule": { ...ofAgent("updateAgentPublishing"), changes: ["rehearsed"] },
  "agent.discard": ofAgent("deleteAgentDraft"),
  "agent.publish": ofAgent("publishAgentDraft"),
  "agent.split": null,
  "agent.split.open": { ...ofAgent("openAgentSplit"), changes: ["version", "percent"] },
  "agent.split.close": { ...ofAgent("closeAgentSplit"), changes: ["keep"] },
  "contact.list": null,
  "contact.import": { action: ({ dry_run }) => (dry_run ? null : "importContacts") },
  // Changes nothing, but exports personal data. Of several chunks only the first is logged.
  "contact.export": { action: ({ after }) => (after === 0 ? "exportContacts" : null) },
  "campaign.list": null,
  "campaign.act": {
    action: "actOnCampaign",
    subject: (_, { name }) => name,
    changes: ["action"],
  },
  "checkout.list": null,
  "checkout.confirm": {
    action: "operatorConfirmCheckout",
    tenant: async (_, { tenant_id: tenant }) => tenant,
    subject: ({ id }) => id,
  },
  "statement.summary": null,
  "statement.rows": null,
  "statement.lines": null,
  "statement.calls": null,
  "call.place": { action: "createCall", tenant: async (_, { tenant_id: tenant }) => tenant },
  "call.scenario": null,
  "engine.try": { action: "operatorTryEngine" },
  "clock.confirm": { action: "operatorConfirmClock" },
  // Changes nothing. An entry would be newer than the backup, and a restore would report it as lost.
  "backup.create": null,
  "logs.read": null,
  // The entry omits the number, like that of `POST /erasures`.
  "person.erase": { action: ({ dry_run }) => (dry_run ? null : "erasePerson") },
  "key.rotate_master": { action: "operatorRotateMasterKey" },
  "node.list": null,
  "node.drain": { action: "operatorDrainNode", subject: (_, { name }) => name },
  "node.resume": { action: "operatorDrainNode", subject: (_, { name }) => name },
};

/** True if the command line changes something with this operation. */
export const isAudited = (name: Names): boolean => AUDITED[name] !== null;

/** Returns the entry for a finished operation; null: none. `user`: the operating system's user. */
export async function auditEntryOf(
  services: Services,
  name: Names,
  input: unknown,
  output: unknown,
  user: string,
): Promise<Omit<AuditEntry, "at"> | null> {
  const audited = AUDITED[name] as Audited<unknown, unknown> | null;
  if (audited === null) return null;
  const { action, tenant, subject, changes = [] } = audited;
  const done = typeof action === "string" ? action : action(input);
  if (done === null) return null;
  const values = input as Readonly<Record<string, unknown>>;
  const own = typeof values.tenant === "number" ? values.tenant : null;
  const named = (await subject?.(input, output, services)) ?? null;
  const shown = changes.flatMap((field) => changeOf(field, values[field]));
  return {
    tenantId: tenant ? await tenant(input, output, services) : own,
    userId: null,
    userEmail: null,
    action: done,
    target: name,
    ip: "",
    outcome: "done",
    details: {
      commandLine: true,
      user,
      ...(named === null ? {} : { subject: named }),
      ...(shown.length === 0 ? {} : { changes: shown }),
    },
  };
}

const VALUE_LENGTH_MAX = 120;

function changeOf(field: string, value: unknown): AuditChange[] {
  if (value === undefined) return [];
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return [{ field, from: null, to: value === null ? null : text.slice(0, VALUE_LENGTH_MAX) }];
}
