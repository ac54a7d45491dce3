/** The CRM bridge over HTTP: rules in contact/crm/. */
import { isoUtc } from "../../../core/clock.ts";
import { wireOf } from "../../../core/wire-names.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/crm.ts";
import type { RouteContext } from "./context.ts";

export const crmRoutes = ({ dependencies: { callerParts } }: RouteContext) => [
  route(contracts.listCrmPosts)(async ({ tenantId }) => ({
    ok: true,
    crm_messages: (await callerParts.crmPosts.list(tenantId)).map((post) =>
      wireOf(contracts.CrmMessage, post, {
        next_attempt_at: post.status === "pending" ? isoUtc(post.nextAttemptAt) : null,
      }),
    ),
  })),
  route(contracts.replayCrmPost)(async ({ tenantId, params }) => {
    await callerParts.crmPosts.replay(tenantId, params.id);
    return { ok: true, id: params.id, status: "pending" };
  }),
  route(contracts.testCrm)(async ({ tenantId, body }) => ({
    ok: true,
    ...(await callerParts.crmTrial(tenantId, body.number)),
  })),
];
