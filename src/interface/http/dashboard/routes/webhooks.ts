/** Webhooks over HTTP, beyond REST v1: how they fare, switched on again, what failed sent again. */

import { dashboardListStore } from "../../../../adapter/store/dashboard-list-store.ts";
import { notFound } from "../../../../core/errors.ts";
import { route } from "../../contract.ts";
import { isoOrNull } from "../../routes/present.ts";
import * as contracts from "../contracts/webhooks.ts";
import type { ProductContext } from "./context.ts";

export const webhookRoutes = ({ dependencies, parts }: ProductContext) => {
  const { database } = dependencies;
  return [
    route(contracts.listWebhookStates)(async ({ tenantId }) => ({
      ok: true,
      webhooks: (await dashboardListStore(database.read).webhookStates(tenantId)).map(
        ({ id, url, enabled, failingSince, disabledReason, pending, failed }) => ({
          ...{ id, url, enabled, pending, failed },
          failing_since: isoOrNull(failingSince),
          disabled_reason: disabledReason,
        }),
      ),
    })),
    route(contracts.enableWebhook)(async ({ tenantId, params: { id } }) => {
      const enabled = await database.tx((queries) =>
        dashboardListStore(queries).enableWebhook(tenantId, id),
      );
      if (!enabled) throw notFound("webhook");
      return { ok: true, id, enabled: true };
    }),
    route(contracts.resendFailed)(async ({ tenantId, params }) => ({
      ok: true,
      queued: await parts.webhookTester.resendFailed(tenantId, params.id),
    })),
  ];
};
