/** The wallet's history over HTTP: ledger, checkouts, a month as a page or as CSV. */

import { monthText } from "../../../../core/calendar.ts";
import { isoUtc } from "../../../../core/clock.ts";
import { microToEur } from "../../../../core/money.ts";
import { wireOf } from "../../../../core/wire-names.ts";
import { rawRoute, route } from "../../contract.ts";
import { statementCsvResponse, statementPageResponse } from "../../statement-response.ts";
import * as contracts from "../contracts/billing.ts";
import type { ProductContext } from "./context.ts";

const CALL_KEY = /^call:([0-9a-f-]{36})$/;
const CHECKOUT_KEY = /^checkout:(chk_[0-9a-f]{32})$/;

export const billingRoutes = ({ dependencies, publicUrl }: ProductContext) => {
  const { checkouts, services } = dependencies;
  const { statements, tenants } = services;

  return [
    route(contracts.listLedger)(async ({ tenantId, query }) => {
      const { entries, total } = await tenants.ledger(tenantId, query);
      return {
        ok: true,
        entries: entries.map(({ id, createdAt, kind, note, key, amount }) => ({
          ...{ id, kind, note, at: isoUtc(createdAt), amount_eur: microToEur(amount) },
          call_uuid: CALL_KEY.exec(key)?.[1] ?? null,
          checkout_id: CHECKOUT_KEY.exec(key)?.[1] ?? null,
        })),
        total,
      };
    }),
    route(contracts.listCheckouts)(async ({ tenantId }) => ({
      ok: true,
      checkouts: (await checkouts.list(tenantId)).map((checkout) =>
        wireOf(contracts.DashboardCheckout, checkout, {
          amount_eur: microToEur(checkout.amount),
          page_url: `${publicUrl()}/checkout/${checkout.id}`,
        }),
      ),
    })),
    rawRoute(contracts.getStatement)(async ({ tenantId, query }) => {
      const month = monthText(query.year, query.month);
      return await statementPageResponse(statements, tenantId, month);
    }),
    rawRoute(contracts.getStatementCsv)(async ({ tenantId, query }) => {
      const month = monthText(query.year, query.month);
      return await statementCsvResponse(statements, tenantId, month, query.rows);
    }),
  ];
};
