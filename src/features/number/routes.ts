/** Phone numbers (specification 4, decisions 5). */

import { z } from "zod";
import { changesOf, shownFields } from "../../core/schema.ts";
import { recordOf, wireOf } from "../../core/wire-names.ts";
import { contract, route } from "../../http/contract.ts";
import {
  deletedReply,
  idOut,
  okReply,
  shown,
  timeOrNull,
  timeOut,
} from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { newNumberShape, numberShape } from "./number-schema.ts";
import type { NumberRecord } from "./numbers.ts";

export const PhoneNumber = z
  .strictObject({
    id: idOut("number"),
    ...shownFields(newNumberShape),
    agent_id: shown(
      z.int().nullable(),
      "Id of the agent that answers. `null` if calls are declined.",
      1,
    ),
    created_at: timeOut("Time of creation."),
    confirmed_at: timeOrNull(
      "Time when the first call over your own trunk, or the operator, confirmed the number. `null` if other tenants may still claim it.",
    ),
  })
  .meta({ id: "PhoneNumber" });

export const listPhoneNumbers = contract({
  operationId: "listPhoneNumbers",
  at: "GET /phone-numbers",
  cacheable: true,
  tag: "Phone numbers",
  summary: "List numbers with their agents",
  reply: okReply({ phone_numbers: z.array(PhoneNumber) }),
});

export const createPhoneNumber = contract({
  operationId: "createPhoneNumber",
  recordsChanges: true,
  at: "POST /phone-numbers",
  tag: "Phone numbers",
  summary: "Add a number",
  description:
    "A confirmed number belongs to one tenant of the appliance. Returns 409 if the number is confirmed for another tenant or already yours. The first call over a tenant's own trunk, or the operator, confirms the number; claims of other tenants are then switched off.",
  body: z.strictObject(newNumberShape).meta({ id: "NewPhoneNumber" }),
  reply: okReply({ phone_number: PhoneNumber }),
  errors: [
    "plan_limit_reached",
    "conflict",
    "not_found",
    "valid_number_e164_required",
    "unknown_field",
  ],
});

export const getPhoneNumber = contract({
  operationId: "getPhoneNumber",
  at: "GET /phone-numbers/{id}",
  cacheable: true,
  noun: "phone number",
  tag: "Phone numbers",
  summary: "One number",
  reply: okReply({ phone_number: PhoneNumber }),
});

export const updatePhoneNumber = contract({
  operationId: "updatePhoneNumber",
  recordsChanges: true,
  at: "PATCH /phone-numbers/{id}",
  noun: "phone number",
  tag: "Phone numbers",
  summary: "Assign a number to an agent, or switch inbound calls on or off",
  body: z.strictObject(changesOf(numberShape)).meta({ id: "PhoneNumberChanges" }),
  reply: okReply({ phone_number: PhoneNumber }),
  errors: ["valid_agent_id_required", "unknown_field"],
});

export const deletePhoneNumber = contract({
  operationId: "deletePhoneNumber",
  recordsChanges: true,
  at: "DELETE /phone-numbers/{id}",
  noun: "phone number",
  tag: "Phone numbers",
  summary: "Remove a number",
  reply: deletedReply(),
});

const present = (number: NumberRecord) => wireOf(PhoneNumber, number);

export const phoneNumberRoutes = ({ dependencies }: RouteContext) => {
  const { numbers } = dependencies.services;
  return [
    route(listPhoneNumbers)(async ({ tenantId }) => ({
      ok: true,
      phone_numbers: (await numbers.list(tenantId)).map(present),
    })),
    route(createPhoneNumber)(async ({ tenantId, body }) => ({
      ok: true,
      phone_number: present(await numbers.create(tenantId, recordOf(body))),
    })),
    route(getPhoneNumber)(async ({ tenantId, params }) => ({
      ok: true,
      phone_number: present(await numbers.get(tenantId, params.id)),
    })),
    route(updatePhoneNumber)(async ({ tenantId, params, body }) => ({
      ok: true,
      phone_number: present(await numbers.update(tenantId, params.id, recordOf(body))),
    })),
    route(deletePhoneNumber)(async ({ tenantId, params }) => {
      await numbers.remove(tenantId, params.id);
      return { ok: true, id: params.id, deleted: true };
    }),
  ];
};
