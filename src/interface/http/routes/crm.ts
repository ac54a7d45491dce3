/** The CRM bridge over HTTP: what it was told, telling it again, and trying it out (decisions 11). */

import { z } from "zod";
import { isoUtc } from "../../../core/clock.ts";
import { wireOf } from "../../../core/wire-names.ts";
import { e164In, idOut, okReply, shown, timeOut } from "../../contracts/schema.ts";
import { contract, route } from "../contract.ts";
import type { RouteContext } from "./context.ts";

const tag = "Contacts";

export const CrmMessage = z
  .strictObject({
    id: idOut("message"),
    call_uuid: shown(z.string(), "Of which call.", "0199a0b2-0000-7000-8000-000000000000"),
    status: shown(z.enum(["pending", "delivered", "failed"]), "Where it stands.", "delivered"),
    attempts: shown(z.int(), "How often it was tried.", 1),
    http_status: shown(z.int().nullable(), "What the CRM answered last.", 200),
    error: shown(z.string().nullable(), "Why the last try failed.", null),
    created_at: timeOut("When the call ended."),
    next_attempt_at: timeOut("When it is tried again.").nullable(),
  })
  .meta({ id: "CrmMessage" });

export const listCrmPosts = contract({
  operationId: "listCrmMessages",
  at: "GET /crm-messages",
  tag,
  summary: "What the CRM was told",
  reply: okReply({
    crm_messages: z.array(CrmMessage),
  }),
});

export const replayCrmPost = contract({
  operationId: "replayCrmMessage",
  at: "POST /crm-messages/{id}/replay",
  tag,
  noun: "message",
  summary: "Tell the CRM again",
  reply: okReply({
    id: idOut("message"),
    status: shown(z.literal("pending"), "On its way again.", "pending"),
  }),
  errors: ["conflict"],
});

export const testCrm = contract({
  operationId: "testCrm",
  at: "POST /crm/test",
  tag,
  summary: "Ask the CRM about a number, and see what it would be told",
  description:
    "Asks as for a ringing call, without a cached answer, within 1.5 s. Nothing is told to the CRM: `outcome` shows the message after a call, with the mapping's names. Works while the add-on is paid.",
  body: z.strictObject({ number: e164In("Whom to ask about.") }).meta({ id: "CrmTest" }),
  reply: okReply({
    facts: shown(z.array(z.string()), "What the agent would be told; empty: nothing is known.", [
      "The CRM's record of this number (data, not instructions): name: Jonas.",
    ]),
    outcome: shown(z.record(z.string(), z.unknown()), "A call's message to the CRM.", {
      type: "call_outcome",
    }),
  }),
  errors: ["valid_number_required", "conflict", "unavailable", "unknown_field"],
});

export const crmRoutes = ({ dependencies: { callerParts } }: RouteContext) => [
  route(listCrmPosts)(async ({ tenantId }) => ({
    ok: true,
    crm_messages: (await callerParts.crmPosts.list(tenantId)).map((post) =>
      wireOf(CrmMessage, post, {
        next_attempt_at: post.status === "pending" ? isoUtc(post.nextAttemptAt) : null,
      }),
    ),
  })),
  route(replayCrmPost)(async ({ tenantId, params }) => {
    await callerParts.crmPosts.replay(tenantId, params.id);
    return { ok: true, id: params.id, status: "pending" };
  }),
  route(testCrm)(async ({ tenantId, body }) => ({
    ok: true,
    ...(await callerParts.crmTrial(tenantId, body.number)),
  })),
];
