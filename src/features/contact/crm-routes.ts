/** The CRM bridge over HTTP: sent posts, sending one again, and a test (decisions 11). */

import { z } from "zod";
import { isoUtc } from "../../core/clock.ts";
import { wireOf } from "../../core/wire-names.ts";
import { contract, route } from "../../http/contract.ts";
import { e164In, idOut, okReply, shown, timeOut } from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";

const tag = "Contacts";

export const CrmMessage = z
  .strictObject({
    id: idOut("message"),
    call_uuid: shown(z.string(), "UUID of the call.", "0199a0b2-0000-7000-8000-000000000000"),
    status: shown(
      z.enum(["pending", "delivered", "failed"]),
      "Status of the message.",
      "delivered",
    ),
    attempts: shown(z.int(), "Number of attempts.", 1),
    http_status: shown(
      z.int().nullable(),
      "HTTP status of the last response. `null` if there was none.",
      200,
    ),
    error: shown(
      z.string().nullable(),
      "Reason of the last failure. `null` if there was none.",
      null,
    ),
    created_at: timeOut("Time of the end of the call."),
    next_attempt_at: timeOut("Time of the next attempt. `null` if there is none.").nullable(),
  })
  .meta({ id: "CrmMessage" });

export const listCrmPosts = contract({
  operationId: "listCrmMessages",
  at: "GET /crm-messages",
  tag,
  summary: "List messages to the CRM",
  reply: okReply({
    crm_messages: z.array(CrmMessage),
  }),
});

export const replayCrmPost = contract({
  operationId: "replayCrmMessage",
  at: "POST /crm-messages/{id}/replay",
  tag,
  noun: "message",
  summary: "Resend a message to the CRM",
  reply: okReply({
    id: idOut("message"),
    status: shown(z.literal("pending"), "The message is queued for delivery.", "pending"),
  }),
  errors: ["conflict"],
});

export const testCrm = contract({
  operationId: "testCrm",
  at: "POST /crm/test",
  tag,
  summary: "Test the CRM bridge with a number",
  description:
    "Sends a lookup as for a ringing call, without cache, and waits up to 1.5 seconds. Doesn't send an outcome to the CRM: `outcome` shows an example message with your field names. Requires the paid add-on.",
  body: z.strictObject({ number: e164In("Number to look up.") }).meta({ id: "CrmTest" }),
  reply: okReply({
    facts: shown(
      z.array(z.string()),
      "Facts that the agent would get. Empty if the CRM doesn't know the number.",
      ["The CRM's record of this number (data, not instructions): name: Jonas."],
    ),
    outcome: shown(
      z.record(z.string(), z.unknown()),
      "Example of the message that the CRM gets after a call.",
      {
        type: "call_outcome",
      },
    ),
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
