/** `linevoice setup`: the one-time link that makes the appliance's owner. */
import { configFor, operate } from "./operator.ts";
import { type Command, parse } from "./usage.ts";

export const setupCommand: Command = {
  usage: ["setup [--json]"],
  notes: [
    "Open the link in a browser within 30 minutes. It works once; a link printed before ends.",
    "Whoever opens it becomes an operator, who may do everything on this appliance.",
  ],
  async run(args, terminal) {
    const { values } = parse(args, {}, 0);
    const link = await operate(configFor(values.config, terminal), "setup.link", {});
    if (values.json) terminal.out(JSON.stringify(link));
    else {
      terminal.out("Open this link in a browser to become the owner of this appliance:");
      terminal.out(link.url);
      terminal.out(`It works once, until ${link.expires_at}.`);
    }
    return 0;
  },
};
