/** `linevoice setup`: the one-time link that creates the appliance's owner. */
import { asks, singleCommand } from "./actions.ts";
import { linkLines } from "./user.ts";

export const setupCommand = singleCommand(
  asks("setup.link", {
    usage: ["setup [--json]"],
    lines: (link) =>
      linkLines("Open this link in a browser to become the owner of this appliance:", link),
  }),
  [
    "Open the link within 30 minutes. It works once, and any earlier link stops working.",
    "The person who opens it becomes an operator with full access to this appliance.",
  ],
);
