/**
 * Settings of the composition: the configuration, with each key in the unit and format that
 * components need.
 */
import type { DialingLimits } from "../call/admission/admission.ts";
import type { settingsFromConfig } from "./settings-from-config.ts";

export type AppSettings = Readonly<ReturnType<typeof settingsFromConfig>>;

/** Settings that may change while the appliance runs (SIGHUP). */
export interface Tuning {
  readonly requestsPerMinute: number;
  readonly concurrentCallsMax: number;
  readonly dialing: DialingLimits;
  readonly tls: AppSettings["http"]["tls"];
  readonly sipTls: AppSettings["sip"]["tls"];
}

export const tuningOf = (settings: AppSettings): Tuning => ({
  requestsPerMinute: settings.http.requestsPerMinute,
  concurrentCallsMax: settings.concurrentCallsMax,
  dialing: settings.dialing,
  tls: settings.http.tls,
  sipTls: settings.sip.tls,
});
