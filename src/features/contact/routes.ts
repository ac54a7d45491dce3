/** Contacts and memories of earlier calls (decisions 11; additive to the specification). */

import { z } from "zod";
import { changesOf, shownFields } from "../../core/schema.ts";
import { recordOf, wireOf } from "../../core/wire-names.ts";
import { contract, type Route, rawRoute, route } from "../../http/contract.ts";
import {
  deletedReply,
  e164In,
  field,
  flag,
  idOut,
  okReply,
  page,
  shown,
  text,
  timeOut,
} from "../../http/contracts/schema.ts";
import { streamOf } from "../../http/csv-response.ts";
import type { RouteContext } from "../../http/route-context.ts";
import type { Services } from "../appliance/services.ts";
import { isCountry } from "../number/national-form.ts";
import { contactShape, newContactShape } from "./contact-schema.ts";
import type { ContactRecord } from "./contacts.ts";
import type { Memory as MemoryRecord } from "./memories.ts";

const tag = "Contacts";

export const Contact = z
  .strictObject({
    id: idOut("contact"),
    ...shownFields(contactShape),
    has_pin: shown(z.boolean(), "Whether a telephone PIN is set.", false),
    created_at: timeOut("Time of creation."),
    updated_at: timeOut("Time of the last change."),
  })
  .meta({ id: "Contact" });

export const listContacts = contract({
  operationId: "listContacts",
  at: "GET /contacts",
  tag,
  summary: "List contacts by name",
  query: z.strictObject({
    search: field(z.string().min(1).max(120), {
      description: "Search text in number, first name or last name.",
      example: "petr",
      must: "be text of 1 to 120 characters",
      reason: "length",
      params: { from: 1, to: 120 },
    }).optional(),
    limit: page.limit(50),
    offset: page.offset(),
  }),
  reply: okReply({
    contacts: z.array(Contact),
    total: shown(z.int(), "Number of contacts that match.", 1),
  }),
  errors: ["valid_search_required", "valid_limit_required", "valid_offset_required"],
});

export const createContact = contract({
  operationId: "createContact",
  at: "POST /contacts",
  tag,
  summary: "Add a contact",
  description:
    "Several contacts can have the same number. Callers from that number are then not greeted by name.",
  body: z.strictObject(newContactShape).meta({ id: "NewContact" }),
  reply: okReply({ contact: Contact }),
  errors: ["valid_number_e164_required", "plan_limit_reached", "unknown_field"],
});

export const getContact = contract({
  operationId: "getContact",
  at: "GET /contacts/{id}",
  tag,
  noun: "contact",
  summary: "One contact",
  reply: okReply({ contact: Contact }),
});

export const updateContact = contract({
  operationId: "updateContact",
  at: "PATCH /contacts/{id}",
  tag,
  noun: "contact",
  summary: "Change a contact",
  body: z.strictObject(changesOf(newContactShape)).meta({ id: "ContactChanges" }),
  reply: okReply({ contact: Contact }),
  errors: ["valid_number_e164_required", "unknown_field"],
});

export const deleteContact = contract({
  operationId: "deleteContact",
  at: "DELETE /contacts/{id}",
  tag,
  noun: "contact",
  summary: "Delete a contact",
  reply: deletedReply(),
});

const country = field(z.string().regex(/^[A-Z]{2}$/), {
  description:
    "Country of numbers without country code. Default: the country of the trunk's caller ID.",
  example: "LT",
  must: "be a two-letter country code such as LT",
});
const csvText = field(z.string(), {
  description:
    "Text of the CSV file in UTF-8, with a header row that contains at least `number`, separated by `,` or `;`. At most 20,000 lines.",
  example: "number,first_name\n+37060000001,Jonas\n",
  must: "be CSV text with a header row that has a column number",
});

export const importContacts = contract({
  operationId: "importContacts",
  at: "POST /contacts/import",
  audited: true,
  weight: 20,
  tag,
  summary: "Import contacts from CSV",
  description:
    "A line with the number and name of a contact updates that contact. If any line is invalid, nothing is imported unless `skip_bad` is true. With `dry_run`, the response is only a report.",
  body: z
    .strictObject({
      csv: csvText,
      country: country.optional(),
      dry_run: flag("Whether to return only a preview and the invalid lines.", true).default(false),
      skip_bad: flag("Whether to import the valid lines if others are invalid.").default(false),
    })
    .meta({ id: "ContactImport" }),
  reply: okReply({
    dry_run: shown(z.boolean(), "Whether this was only a preview.", true),
    created: shown(z.int(), "Number of new contacts.", 2),
    updated: shown(z.int(), "Number of updated contacts.", 1),
    unchanged: shown(z.int(), "Number of lines that equal an existing contact.", 0),
    problem_count: shown(z.int(), "Number of invalid lines.", 0),
    problems: z.array(
      z.strictObject({
        line: shown(z.int(), "Line number in the file. The header is line 1.", 3),
        column: shown(
          z.string().nullable(),
          "Name of the column. `null` if the whole line is invalid.",
          "number",
        ),
        problem: shown(z.string(), "Description of the problem.", '"12" is no telephone number.'),
      }),
    ),
    preview: z.array(
      Contact.pick({
        number_e164: true,
        first_name: true,
        last_name: true,
        birthday: true,
        language: true,
        consent: true,
        do_not_call: true,
      }),
    ),
  }),
  errors: ["valid_csv_required", "plan_limit_reached", "unknown_field"],
});

export const exportContacts = contract({
  operationId: "exportContacts",
  at: "GET /contacts/export",
  weight: 10,
  recent: true,
  tag,
  summary: "Export all contacts as CSV",
  audited: true,
  reply: z.string(),
  replyType: "text/csv",
});

export const Memory = z
  .strictObject({
    id: idOut("memory"),
    number_e164: shown(z.string(), "Number of the person.", "+37060000001"),
    call_uuid: shown(z.string(), "UUID of the call.", "0199a0b2-0000-7000-8000-000000000000"),
    reason: shown(z.string(), "Reason for the call.", "Appointment on Monday"),
    outcome: shown(z.string(), "Result of the call.", "Nobody answered."),
    promise: shown(z.string(), "Promise made in the call. Empty if there was none.", ""),
    sensitive: shown(
      z.boolean(),
      "Whether the reason may be given only to a recognised caller.",
      false,
    ),
    attempted_at: timeOut("Time of the call."),
  })
  .meta({ id: "CallMemory" });

export const listMemories = contract({
  operationId: "listCallMemories",
  at: "GET /call-memories",
  tag,
  summary: "List memories of outbound calls",
  query: z.strictObject({ number: e164In("Filter: number of the person.").optional() }),
  reply: okReply({ call_memories: z.array(Memory) }),
  errors: ["valid_number_required"],
});

const memoryText = (description: string) =>
  text(500, description, "Appointment on Monday").optional();

export const updateMemory = contract({
  operationId: "updateCallMemory",
  at: "PATCH /call-memories/{id}",
  tag,
  noun: "memory",
  summary: "Correct a memory of a call",
  body: z
    .strictObject({
      reason: memoryText("Reason for the call."),
      outcome: memoryText("Result of the call."),
      promise: memoryText("Promise made in the call."),
      sensitive: flag("Whether the reason may be given only to a recognised caller.").optional(),
    })
    .meta({ id: "CallMemoryChanges" }),
  reply: okReply({ call_memory: Memory }),
  errors: ["unknown_field"],
});

export const deleteMemory = contract({
  operationId: "deleteCallMemory",
  at: "DELETE /call-memories/{id}",
  tag,
  noun: "memory",
  summary: "Delete a memory of a call",
  reply: deletedReply(),
});

const present = (contact: ContactRecord) =>
  wireOf(Contact, contact, { has_pin: contact.pinHash !== null });

const presentMemory = (memory: MemoryRecord) => wireOf(Memory, memory);

type Parts = Pick<Services, "contacts" | "memories" | "trunks">;

/** All contacts: listing, adding, and CSV. */
const contactListRoutes = ({ contacts, trunks }: Parts): Route[] => [
  route(listContacts)(async ({ tenantId, query }) => {
    const { search = null, limit, offset } = query;
    const found = await contacts.list(tenantId, { search, limit, offset });
    return { ok: true, contacts: found.contacts.map(present), total: found.total };
  }),
  route(createContact)(async ({ tenantId, body }) => ({
    ok: true,
    contact: present(await contacts.create(tenantId, recordOf(body))),
  })),
  route(importContacts)(async ({ tenantId, body }) => {
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
  rawRoute(exportContacts)(async ({ tenantId }) => {
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
  route(getContact)(async ({ tenantId, params }) => ({
    ok: true,
    contact: present(await contacts.get(tenantId, params.id)),
  })),
  route(updateContact)(async ({ tenantId, params, body }) => ({
    ok: true,
    contact: present(await contacts.update(tenantId, params.id, recordOf(body))),
  })),
  route(deleteContact)(async ({ tenantId, params }) => {
    await contacts.remove(tenantId, params.id);
    return { ok: true, id: params.id, deleted: true };
  }),
];

const memoryRoutes = ({ memories }: Parts): Route[] => [
  route(listMemories)(async ({ tenantId, query }) => {
    const found = await memories.list(tenantId, query.number ?? null);
    return { ok: true, call_memories: found.map(presentMemory) };
  }),
  route(updateMemory)(async ({ tenantId, params, body }) => ({
    ok: true,
    call_memory: presentMemory(await memories.update(tenantId, params.id, body)),
  })),
  route(deleteMemory)(async ({ tenantId, params }) => {
    await memories.remove(tenantId, params.id);
    return { ok: true, id: params.id, deleted: true };
  }),
];

export const contactRoutes = ({ dependencies: { services } }: RouteContext): Route[] => [
  ...contactListRoutes(services),
  ...oneContactRoutes(services),
  ...memoryRoutes(services),
];
