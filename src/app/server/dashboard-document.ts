/** The OpenAPI document of the dashboard's API, for signed-in people. */
import type { Elysia } from "elysia";
import type { Contract } from "../../http/contract.ts";
import type { Middleware } from "../../http/middleware.ts";
import { DASHBOARD_MOUNT } from "../../http/mounts.ts";
import { type DocumentFrame, openApiDocument } from "../../http/openapi.ts";
import { jsonResponse } from "../../http/request-context.ts";
import { dashboardContracts } from "./dashboard-contracts.ts";

const DASHBOARD_DOCUMENT_PATH = `${DASHBOARD_MOUNT}/openapi.json`;

const frame = (contracts: readonly Contract[]): DocumentFrame => ({
  title: "Linevoice dashboard API",
  introduction:
    "API of the dashboard, in addition to REST v1. It can change with each version. Programs should use REST v1.\n\nRequests need a session cookie; API keys are not accepted. Roles: a viewer can read, a member can change records, an owner also manages keys, payments, trunk and team, an operator runs the appliance.",
  servers: [{ url: DASHBOARD_MOUNT }],
  security: [{ session: [] }],
  securitySchemes: {
    session: { type: "apiKey", in: "cookie", name: "__Host-linevoice" },
  },
  tags: [...new Set(contracts.map(({ tag }) => tag))].map((tag) => [tag, tag] as const),
});

export function dashboardDocument(version: string): Record<string, unknown> {
  const contracts = dashboardContracts().map((contract) =>
    contract.open ? contract : { ...contract, errors: [...contract.errors, "forbidden" as const] },
  );
  return openApiDocument(contracts, version, frame(contracts));
}

/** `admit` returns the error response for people without a session. */
export function dashboardDocumentRoute(
  app: Elysia,
  version: string,
  { requestContextOf, admit }: Pick<Middleware, "requestContextOf" | "admit">,
): void {
  let json: string | null = null;
  for (const method of ["GET", "HEAD"])
    app.route(method, DASHBOARD_DOCUMENT_PATH, async ({ request }) => {
      const rejected = await admit(request, false);
      if (rejected) return rejected;
      json ??= JSON.stringify(dashboardDocument(version));
      return jsonResponse(requestContextOf(request), 200, json);
    });
}
