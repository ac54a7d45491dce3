/** Contacts and memories over HTTP: rules in contact/. */

import { recordOf, wireOf } from "../../../core/wire-names.ts";
import type { ContactRecord } from "../../../domain/contact/contacts.ts";
import { isCountry } from "../../../domain/number/national-form.ts";
import type { Memory } from "../../../operations/admin/memories.ts";
import type { Services } from "../../../operations/admin/services.ts";
import { type Route, rawRoute, route } from "../contract.ts";
import * as contracts from "../contracts/contacts.ts";
import { streamOf } from "../csv-response.ts";
import type { RouteContext } from "./context.ts";

const present = (contact: ContactRecord) =>
  wireOf(contracts.Contact, contact, { has_pin: contact.pinHash !== null });

const presentMemory = (memory: Memory) => wireOf(contracts.Memory, memory);

type Parts = Pick<Services, "contacts" | "memories" | "trunks">;

/** All contacts: listing, adding, and CSV. */
const contactListRoutes = ({ contacts, trunks }: Parts): Route[] => [
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
      country: isCountry(body.country) ? body.country : await trunks.country(tenantId),
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

const memoryRoutes = ({ memories }: Parts): Route[] => [
  route(contracts.listMemories)(async ({ tenantId, query }) => {
    const found = await memories.list(tenantId, query.number ?? null);
    return { ok: true, call_memories: found.map(presentMemory) };
  }),
  route(contracts.updateMemory)(async ({ tenantId, params, body }) => ({
    ok: true,
    call_memory: presentMemory(await memories.update(tenantId, params.id, body)),
  })),
  route(contracts.deleteMemory)(async ({ tenantId, params }) => {
    await memories.remove(tenantId, params.id);
    return { ok: true, id: params.id, deleted: true };
  }),
];

export const contactRoutes = ({ dependencies: { services } }: RouteContext): Route[] => [
  ...contactListRoutes(services),
  ...oneContactRoutes(services),
  ...memoryRoutes(services),
];
