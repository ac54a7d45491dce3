/** `linevoice campaign list|start|pause|resume|cancel`: they are made over REST or in the dashboard. */
import { configFor, operate } from "./operator.ts";
import { type Command, idFrom, parse, table, WrongUsage } from "./usage.ts";

const ACTIONS = ["start", "pause", "resume", "cancel"] as const;

export const campaignCommand: Command = {
  usage: [
    "campaign list --tenant ID [--json]",
    "campaign start CAMPAIGN | pause CAMPAIGN | resume CAMPAIGN | cancel CAMPAIGN --tenant ID",
  ],
  async run(args, terminal) {
    const { values, words } = parse(args, { tenant: { type: "string" } }, 2);
    const [action, id] = words;
    const act = ACTIONS.find((known) => known === action);
    if (!act && action !== "list")
      throw new WrongUsage("Say what to do: list, start, pause, resume or cancel.");
    const tenant = idFrom(values.tenant, "--tenant");
    if (act) {
      const campaign = idFrom(id, "CAMPAIGN");
      const loaded = configFor(values.config, terminal);
      const changed = await operate(loaded, "campaign.act", { tenant, campaign, action: act });
      terminal.out(JSON.stringify(changed));
      return 0;
    }
    if (id !== undefined) throw new WrongUsage(`"${id}" is one word too many.`);
    const campaigns = await operate(configFor(values.config, terminal), "campaign.list", {
      tenant,
    });
    if (values.json) {
      terminal.out(JSON.stringify(campaigns));
      return 0;
    }
    const rows = campaigns.map(({ id: campaign, name, status, targets }) => [
      ...[String(campaign), name, status],
      ...(["waiting", "calling", "done", "failed", "skipped"] as const).map((key) =>
        String(targets[key]),
      ),
    ]);
    const head = ["ID", "NAME", "STATE", "WAITING", "CALLING", "DONE", "FAILED", "SKIPPED"];
    for (const line of table([head, ...rows])) terminal.out(line);
    return 0;
  },
};
