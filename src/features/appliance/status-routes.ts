/**
 * Status indicators of the home page: the state of each part as a colour, an English sentence, and a code
 * with values for translation.
 */

import type { StatusSources } from "../../http/dashboard/ports.ts";
import type { OperatorTrunk } from "../trunk/contract.ts";

type Trunk = Pick<OperatorTrunk, "server" | "status" | "explanation" | "last_code" | "reason">;

export const STATUS_CODES = [
  "trunk_none",
  "trunk_registered",
  "trunk_peering",
  "trunk_failed",
  "trunk_registering",
  "trunk_unregistered",
  "engine_ready",
  "engine_starting",
  "engine_provider",
  "engine_failed",
  "disk_ok",
  "disk_low",
  "disk_full",
  "backup_ok",
  "backup_failed",
  "backup_none",
  "backup_old",
  "backup_manual",
  "mail_ok",
  "mail_dead",
  "mail_waiting",
  "mail_files",
] as const;
export type StatusCode = (typeof STATUS_CODES)[number];
export type Values = Readonly<Record<string, string | number>>;

export interface StatusIndicator {
  readonly state: "ok" | "warning" | "failed" | "unknown";
  readonly code: StatusCode;
  readonly values: Values;
  readonly sentence: string;
  /** Suggested action; null: none. */
  readonly remedy: string | null;
}

const HOUR_MS = 3_600_000;
const BACKUP_AGE_MS_MAX = 30 * HOUR_MS;

const indicator =
  (state: StatusIndicator["state"]) =>
  (
    code: StatusCode,
    sentence: string,
    remedy: string | null = null,
    values: Values = {},
  ): StatusIndicator => ({ state, code, values, sentence, remedy });
const ok = indicator("ok");
const warning = indicator("warning");
const failed = indicator("failed");
const unknown = indicator("unknown");

export async function statusesOf(sources: StatusSources, trunk: Trunk | null, nowMs: number) {
  return {
    trunk: trunkStatus(trunk),
    engine: engineStatus(sources.engine(), sources.hasProviderTrouble()),
    disk: diskStatus(sources.disk()),
    backup: backupStatus(sources.backup(), nowMs),
    mail: mailStatus(sources, await sources.mail()),
  };
}

function trunkStatus(trunk: Trunk | null): StatusIndicator {
  if (!trunk)
    return unknown(
      "trunk_none",
      "There is no trunk yet. Phone calls are not possible.",
      "Enter the SIP account of your provider.",
    );
  const { server, explanation, last_code: code } = trunk;
  const values = { server };
  switch (trunk.status) {
    case "registered":
      return ok("trunk_registered", `Registered at ${server}.`, null, values);
    case "not_required":
      return ok("trunk_peering", `Connected to ${server} without registration.`, null, values);
    case "failed": {
      const why = explanation ?? (code === null ? "No answer." : `SIP ${code}.`);
      return failed(
        "trunk_failed",
        `Not registered at ${server}: ${why}`,
        "Check the account under Trunk, then test it.",
        { ...values, explanation: why, sip_code: code ?? "", reason: trunk.reason ?? "" },
      );
    }
    case "registering":
      return warning(
        "trunk_registering",
        `Registering at ${server}.`,
        "Wait a few seconds, then test the trunk.",
        values,
      );
    default:
      return warning(
        "trunk_unregistered",
        `Not registered at ${server}.`,
        "Test the trunk to see the reason.",
        values,
      );
  }
}

function engineStatus(problem: string | null, hasProviderTrouble: boolean): StatusIndicator {
  if (problem === null && hasProviderTrouble)
    return warning(
      "engine_provider",
      "A provider of speech or language cannot be used. Calls continue with the fallback.",
      "Ask the operator. The health page shows how to fix it.",
    );
  if (problem === null) return ok("engine_ready", "Ready for calls.");
  if (problem.includes("starting"))
    return warning("engine_starting", problem, "Wait a few seconds.");
  const remedy = "Ask the operator to check the log and restart the server.";
  return failed("engine_failed", problem, remedy, { explanation: problem });
}

function diskStatus(problem: ReturnType<StatusSources["disk"]>): StatusIndicator {
  if (!problem) return ok("disk_ok", "There is enough space.");
  const remedy = "Ask the operator to free up disk space.";
  return problem.failed
    ? failed("disk_full", problem.sentence, remedy)
    : warning("disk_low", problem.sentence, remedy);
}

function backupStatus(backup: ReturnType<StatusSources["backup"]>, nowMs: number): StatusIndicator {
  const { problem, newest, automatic } = backup;
  if (problem !== null)
    return failed("backup_failed", problem, "Ask the operator to check the log.");
  const remedy = "Ask the operator to create one, or create one under Operator.";
  if (!newest) return warning("backup_none", "There is no backup yet.", remedy);
  const ageMs = nowMs - Date.parse(newest.created_at);
  const hours = Math.max(0, Math.floor(ageMs / HOUR_MS));
  const sentence = `The newest backup is ${hours} hours old.`;
  if (ageMs > BACKUP_AGE_MS_MAX) return warning("backup_old", sentence, remedy, { hours });
  if (automatic) return ok("backup_ok", sentence, null, { hours });
  return warning(
    "backup_manual",
    `${sentence} Automatic backups are off.`,
    "Ask the operator to set [storage] backup_at.",
    { hours },
  );
}

function mailStatus(
  { mailProvider: provider, outboxKeepDays }: StatusSources,
  mails: Awaited<ReturnType<StatusSources["mail"]>>,
): StatusIndicator {
  const { dead, waiting, lastError } = mails;
  if (dead > 0)
    return failed(
      "mail_dead",
      `${dead} emails could not be sent.`,
      "Ask the operator to resend them under Operator, Mails.",
      { count: dead },
    );
  if (waiting > 0) {
    const why = lastError ?? "no reason known";
    return warning(
      "mail_waiting",
      `${waiting} emails are waiting because sending failed: ${why}`,
      "They are retried automatically. If the problem continues, ask the operator to test email.",
      { count: waiting, explanation: why },
    );
  }
  if (provider === "outbox")
    return warning(
      "mail_files",
      `Emails are not sent. They are stored as files on the server for ${outboxKeepDays} days, including recordings.`,
      "Ask the operator to set [mail] provider.",
      { count: outboxKeepDays },
    );
  return ok("mail_ok", "Email works.");
}
