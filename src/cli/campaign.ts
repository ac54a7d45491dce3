/**
 * `linevoice campaign list|start|pause|resume|cancel`. Campaigns are created over REST or in the
 * dashboard.
 */
import { asks, commandOf } from "./actions.ts";
import { table } from "./usage.ts";

const COUNTS = ["waiting", "calling", "done", "failed", "skipped"] as const;

const act = (name: "start" | "pause" | "resume" | "cancel", usage: readonly string[] = []) =>
  asks("campaign.act", {
    usage,
    fields: ["tenant"],
    word: ["CAMPAIGN", "campaign"],
    input: () => ({ action: name }),
  });

export const campaignCommand = commandOf("campaign", {
  list: asks("campaign.list", {
    usage: ["campaign list --tenant ID [--json]"],
    fields: ["tenant"],
    lines: (campaigns) =>
      table([
        ["ID", "NAME", "STATE", ...COUNTS.map((name) => name.toUpperCase())],
        ...campaigns.map(({ id, name, status, status_reason, targets }) => [
          String(id),
          name,
          status_reason === null ? status : `${status}: ${status_reason}`,
          ...COUNTS.map((key) => String(targets[key])),
        ]),
      ]),
  }),
  start: act("start", [
    "campaign start CAMPAIGN | pause CAMPAIGN | resume CAMPAIGN | cancel CAMPAIGN --tenant ID",
  ]),
  pause: act("pause"),
  resume: act("resume"),
  cancel: act("cancel"),
});
