/** Lamps of the first page: what the appliance's parts say of themselves, as a colour and a sentence. */
import type { Lamps, TrunkView } from "./ports.ts";

export interface Lamp {
  readonly state: "ok" | "warning" | "failed" | "unknown";
  readonly sentence: string;
  /** What to do; null: nothing. */
  readonly mend: string | null;
}

const HOUR_MS = 3_600_000;
const BACKUP_AGE_MS_MAX = 30 * HOUR_MS;

const ok = (sentence: string): Lamp => ({ state: "ok", sentence, mend: null });
const warning = (sentence: string, mend: string): Lamp => ({ state: "warning", sentence, mend });
const failed = (sentence: string, mend: string): Lamp => ({ state: "failed", sentence, mend });

export async function lampsOf(lamps: Lamps, trunk: TrunkView | null, nowMs: number) {
  return {
    trunk: trunkLamp(trunk),
    engine: engineLamp(lamps.engine()),
    disk: diskLamp(lamps.disk()),
    backup: backupLamp(lamps.backup(), nowMs),
    mail: mailLamp(lamps.mailProvider, await lamps.mail()),
  };
}

function trunkLamp(trunk: TrunkView | null): Lamp {
  if (!trunk)
    return {
      state: "unknown",
      sentence: "There is no trunk yet: no phone call can come or go.",
      mend: "Enter the SIP account of your provider.",
    };
  const { server, explanation, last_code: code } = trunk;
  switch (trunk.status) {
    case "registered":
      return ok(`Registered at ${server}.`);
    case "not_required":
      return ok(`Calls with ${server} need no registration.`);
    case "failed":
      return failed(
        `Not registered at ${server}: ${explanation ?? (code === null ? "no answer." : `SIP ${code}.`)}`,
        "Check the account under Trunk, then test it.",
      );
    case "registering":
      return warning(`Registering at ${server}.`, "Wait some seconds; then test the trunk.");
    default:
      return warning(`Not registered at ${server}.`, "Test the trunk; the result says why.");
  }
}

function engineLamp(problem: string | null): Lamp {
  if (problem === null) return ok("Ready to carry calls.");
  if (problem.includes("starting")) return warning(problem, "Wait some seconds.");
  return failed(problem, "Ask the operator to look at the log and restart the server.");
}

function diskLamp(problem: ReturnType<Lamps["disk"]>): Lamp {
  if (!problem) return ok("There is room enough.");
  const mend = "Ask the operator to make room on the disk.";
  return problem.failed ? failed(problem.sentence, mend) : warning(problem.sentence, mend);
}

function backupLamp(backup: ReturnType<Lamps["backup"]>, nowMs: number): Lamp {
  const { problem, newest, automatic } = backup;
  if (problem !== null) return failed(problem, "Ask the operator to look at the log.");
  const mend = "Ask the operator to make one, or make one under Operator.";
  if (!newest) return warning("There is no backup yet.", mend);
  const ageMs = nowMs - Date.parse(newest.created_at);
  const hours = Math.max(0, Math.floor(ageMs / HOUR_MS));
  const sentence = `The newest backup is ${hours} hours old.`;
  if (ageMs > BACKUP_AGE_MS_MAX) return warning(sentence, mend);
  return automatic
    ? ok(sentence)
    : warning(
        `${sentence} None is made by itself.`,
        "Ask the operator to set [storage] backup_at.",
      );
}

function mailLamp(provider: string, mails: Awaited<ReturnType<Lamps["mail"]>>): Lamp {
  const { dead, waiting, lastError } = mails;
  if (dead > 0)
    return failed(
      `${dead} mails could not be sent and were given up.`,
      "Ask the operator to send them again under Operator, mails.",
    );
  if (waiting > 0)
    return warning(
      `${waiting} mails wait because sending failed: ${lastError ?? "no reason known"}`,
      "They are tried again by themselves; ask the operator to test mail if it lasts.",
    );
  if (provider === "outbox")
    return warning(
      "Mails are written to files on the server; nobody is sent any.",
      "Ask the operator to set [mail] provider.",
    );
  return ok("Mail works.");
}
