/** The CRM bridge over HTTP: rules in contact/crm/. */

import { crmStore } from "../../../adapter/store/crm-store.ts";
import { isoUtc } from "../../../core/clock.ts";
import { wireOf } from "../../../core/wire-names.ts";
import { route } from "../contract.ts";
import * as contracts from "../contracts/crm.ts";
import type { RouteContext } from "./context.ts";

export const crmRoutes = ({ dependencies: { database, callerParts } }: RouteContext) => [
  route(contracts.listCrmPosts)(async ({ tenantId }) => {
    const posts = await crmStore(database.read).posts(tenantId);
    return {
      ok: true,
      crm_messages: posts.map((post) =>
        wireOf(contracts.CrmMessage, post, {
          next_attempt_at: post.status === "pending" ? isoUtc(post.nextAttemptAt) : null,
        }),
      ),
    };
  }),
  route(contracts.replayCrmPost)(async ({ tenantId, params }) => {
    await callerParts.crmPosts.replay(tenantId, params.id);
    return { ok: true, id: params.id, status: "pending" };
  }),
  route(contracts.testCrm)(async ({ tenantId, body }) => ({
    ok: true,
    ...(await callerParts.crmTrial(tenantId, body.number)),
  })),
];
