/** Phone numbers (specification 4, decisions.md 5). */
import { z } from "zod";
import {
  deletedReply,
  e164In,
  field,
  idIn,
  idOut,
  label,
  okReply,
  shown,
  timeOut,
} from "../../contracts/schema.ts";
import { contract } from "../contract.ts";

export const PhoneNumber = z
  .strictObject({
    id: idOut("number"),
    number_e164: shown(z.string(), "The number, E.164.", "+37060000001"),
    label: shown(z.string().nullable(), "Your name for it.", "Front desk"),
    agent_id: shown(z.int().nullable(), "The agent that answers; null: calls are declined.", 1),
    inbound_enabled: shown(z.boolean(), "Whether inbound calls are answered.", true),
    created_at: timeOut("When it was added."),
  })
  .meta({ id: "PhoneNumber" });

const numberLabel = label("Your name for it.").nullable().optional();
const agentId = idIn("agents").nullable().optional();
const inboundEnabled = field(z.boolean(), {
  description: "Whether inbound calls are answered.",
  example: true,
  must: "be true or false",
}).optional();

export const listPhoneNumbers = contract({
  operationId: "listPhoneNumbers",
  cacheable: true,
  method: "GET",
  path: "/phone-numbers",
  tag: "Phone numbers",
  summary: "List numbers with their agents",
  reply: okReply({ phone_numbers: z.array(PhoneNumber) }),
  errors: [],
});

export const createPhoneNumber = contract({
  operationId: "createPhoneNumber",
  method: "POST",
  path: "/phone-numbers",
  tag: "Phone numbers",
  summary: "Add a number",
  description: "A number belongs to one tenant on the whole appliance: a second one is a conflict.",
  body: z
    .strictObject({
      number_e164: e164In("The number."),
      label: numberLabel.meta({ default: null }),
      agent_id: agentId.meta({ default: null }),
      inbound_enabled: inboundEnabled.meta({ default: true }),
    })
    .meta({ id: "NewPhoneNumber" }),
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
  cacheable: true,
  method: "GET",
  path: "/phone-numbers/{id}",
  noun: "phone number",
  tag: "Phone numbers",
  summary: "One number",
  reply: okReply({ phone_number: PhoneNumber }),
  errors: [],
});

export const updatePhoneNumber = contract({
  operationId: "updatePhoneNumber",
  method: "PATCH",
  path: "/phone-numbers/{id}",
  noun: "phone number",
  tag: "Phone numbers",
  summary: "Map a number to an agent, or switch inbound calls",
  body: z
    .strictObject({ label: numberLabel, agent_id: agentId, inbound_enabled: inboundEnabled })
    .meta({ id: "PhoneNumberChanges" }),
  ignoredBodyFields: ["id", "number_e164", "created_at"],
  reply: okReply({ phone_number: PhoneNumber }),
  errors: ["valid_agent_id_required", "unknown_field"],
});

export const deletePhoneNumber = contract({
  operationId: "deletePhoneNumber",
  method: "DELETE",
  path: "/phone-numbers/{id}",
  noun: "phone number",
  tag: "Phone numbers",
  summary: "Remove a number",
  reply: deletedReply(),
  errors: [],
});
