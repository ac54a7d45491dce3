/** Webhooks over HTTP, beyond REST v1: how they fare, switched on again, what failed sent again. */
import { wireOf } from "../../../../core/wire-names.ts";
import { route } from "../../contract.ts";
import { isoOrNull } from "../../routes/present.ts";
import * as contracts from "../contracts/webhooks.ts";
import type { ProductContext } from "./context.ts";

export const webhookRoutes = ({ dependencies: { services }, parts }: ProductContext) => [
  route(contracts.listWebhookStates)(async ({ tenantId }) => ({
    ok: true,
    webhooks: (await services.webhooks.states(tenantId)).map((state) =>
      wireOf(contracts.WebhookState, state, { failing_since: isoOrNull(state.failingSince) }),
    ),
  })),
  route(contracts.enableWebhook)(async ({ tenantId, params: { id } }) => {
    await services.webhooks.enable(tenantId, id);
    return { ok: true, id, enabled: true };
  }),
  route(contracts.resendFailed)(async ({ tenantId, params }) => ({
    ok: true,
    queued: await parts.webhookTester.resendFailed(tenantId, params.id),
  })),
];
