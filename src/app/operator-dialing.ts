/** The operator's side of a tenant's dialling rules: what is given changes, all is answered. */

import { tenantSettingsStore } from "../adapter/store/tenant-settings-store.ts";
import type { Database } from "../core/database.ts";
import { eurToMicro, microToEur } from "../core/money.ts";
import { createTenantSettings } from "../domain/tenant/tenant-settings.ts";
import type { DialingSummary, OperatorPort } from "../interface/control/operator-port.ts";

/** Throws not_found. Calls that begin from now on heed it. */
export async function setDialing(
  database: Database,
  tenantId: number,
  changes: Parameters<OperatorPort["setDialing"]>[1],
): Promise<DialingSummary> {
  const records = createTenantSettings({ database, records: tenantSettingsStore });
  const spend = changes.daily_spend_max_eur;
  const settings = await records.update(tenantId, {
    allowedPrefixes: changes.allowed_prefixes,
    shortNumbers: changes.short_numbers,
    callsPerMinuteMax: changes.calls_per_minute_max,
    dailySpendMax: spend == null ? spend : eurToMicro(spend),
  });
  return {
    tenant_id: tenantId,
    allowed_prefixes: settings.allowedPrefixes,
    short_numbers: settings.shortNumbers,
    calls_per_minute_max: settings.callsPerMinuteMax,
    daily_spend_max_eur:
      settings.dailySpendMax === null ? null : microToEur(settings.dailySpendMax),
  };
}
