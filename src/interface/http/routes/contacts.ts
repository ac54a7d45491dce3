/** Contacts and memories over HTTP: rules in contact/. */

import { callSetupStore } from "../../../adapter/store/call-setup-store.ts";
import { callerStore, type MemoryRow } from "../../../adapter/store/caller-store.ts";
import { isE164 } from "../../../core/e164.ts";
import { notFound } from "../../../core/errors.ts";
import { recordOf, wireOf } from "../../../core/wire-names.ts";
import type { ContactRecord } from "../../../domain/contact/contacts.ts";
import { countryOf, isCountry } from "../../../domain/number/national-form.ts";
import { type Route, rawRoute, route } from "../contract.ts";
import * as contracts from "../contracts/contacts.ts";
import { streamOf } from "../csv-response.ts";
import type { RouteContext } from "./context.ts";

const present = (contact: ContactRecord) =>
  wireOf(contracts.Contact, contact, { has_pin: contact.pinHash !== null });

const presentMemory = (memory: MemoryRow) => wireOf(contracts.Memory, memory);

function contactParts({ dependencies }: RouteContext) {
  const { database, services } = dependencies;
  const { contacts } = services;

  /** Of the trunk's caller id, unless said. */
  async function countryFor(tenantId: number, said: string | undefined) {
    if (isCountry(said)) return said;
    const callerId = (await callSetupStore(database.read).trunk(tenantId))?.callerId;
    return callerId !== undefined && isE164(callerId) ? countryOf(callerId) : null;
  }
  return { database, contacts, countryFor };
}

type Parts = ReturnType<typeof contactParts>;

/** All contacts: listing, adding, and CSV. */
const contactListRoutes = ({ contacts, countryFor }: Parts): Route[] => [
  route(contracts.listContacts)(async ({ tenantId, query }) => {
    const { search = null, limit, offset } = query;
    const found = await contacts.list(tenantId, { search, limit, offset });
    return { ok: true, contacts: found.contacts.map(present), total: found.total };
  }),
  route(contracts.createContact)(async ({ tenantId, body }) => ({
    ok: true,
    contact: present(await contacts.create(tenantId, recordOf(body))),
  })),
  route(contracts.importContacts)(async ({ tenantId, body }) => {
    const report = await contacts.import(tenantId, {
      csv: body.csv,
      country: await countryFor(tenantId, body.country),
      dryRun: body.dry_run ?? false,
      skipBad: body.skip_bad ?? false,
    });
    return {
      ok: true,
      dry_run: report.dryRun,
      created: report.created,
      updated: report.updated,
      unchanged: report.unchanged,
      problem_count: report.problemCount,
      problems: report.problems.map((problem) => ({ ...problem })),
      preview: report.preview.map((contact) => ({
        number_e164: contact.numberE164,
        first_name: contact.firstName,
        last_name: contact.lastName,
        birthday: contact.birthday,
        language: contact.language,
        consent: contact.consent,
        do_not_call: contact.doNotCall,
      })),
    };
  }),
  rawRoute(contracts.exportContacts)(async ({ tenantId }) => {
    const pieces = contacts.export(tenantId);
    return new Response(streamOf(pieces), {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": 'attachment; filename="contacts.csv"',
      },
    });
  }),
];

const oneContactRoutes = ({ contacts }: Parts): Route[] => [
  route(contracts.getContact)(async ({ tenantId, params }) => ({
    ok: true,
    contact: present(await contacts.get(tenantId, params.id)),
  })),
  route(contracts.updateContact)(async ({ tenantId, params, body }) => ({
    ok: true,
    contact: present(await contacts.update(tenantId, params.id, recordOf(body))),
  })),
  route(contracts.deleteContact)(async ({ tenantId, params }) => {
    await contacts.remove(tenantId, params.id);
    return { ok: true, id: params.id, deleted: true };
  }),
];

const memoryRoutes = ({ database }: Parts): Route[] => [
  route(contracts.listMemories)(async ({ tenantId, query }) => {
    const found = await callerStore(database.read).listMemories(tenantId, query.number ?? null);
    return { ok: true, call_memories: found.map(presentMemory) };
  }),
  route(contracts.updateMemory)(async ({ tenantId, params, body }) => {
    const changed = await database.tx((queries) =>
      callerStore(queries).updateMemory(tenantId, params.id, body),
    );
    if (!changed) throw notFound("memory");
    return { ok: true, call_memory: presentMemory(changed) };
  }),
  route(contracts.deleteMemory)(async ({ tenantId, params }) => {
    const removed = await database.tx((queries) =>
      callerStore(queries).removeMemory(tenantId, params.id),
    );
    if (!removed) throw notFound("memory");
    return { ok: true, id: params.id, deleted: true };
  }),
];

export const contactRoutes = (context: RouteContext): Route[] => {
  const parts = contactParts(context);
  return [...contactListRoutes(parts), ...oneContactRoutes(parts), ...memoryRoutes(parts)];
};
