/** `linevoice call`: places a call through the running server and follows it live. */

import { createControlClient, NoServer } from "../control/client.ts";
import { isE164 } from "../core/e164.ts";
import type { CallProgress } from "../features/call-log/contract.ts";
import { configFor, controlSocketOf, noServer } from "./operator.ts";
import { type Command, idFrom, parse, required, WrongUsage } from "./usage.ts";

export const callCommand: Command = {
  usage: ["call --agent ID --to +370… [--follow] [--json]"],
  async run(args, terminal) {
    const options = {
      agent: { type: "string" },
      to: { type: "string" },
      follow: { type: "boolean", default: false },
    } as const;
    const { values } = parse(args, options, 0);
    const agent = idFrom(values.agent, "--agent");
    const to = required(values.to, "--to");
    if (!isE164(to))
      throw new WrongUsage("--to must be a number in E.164 form, e.g. +37061234567.");
    const client = createControlClient(controlSocketOf(configFor(values.config, terminal)));
    try {
      const placed = await client.ask("call.place", { agent, to });
      terminal.out(values.json ? JSON.stringify(placed) : `Call ${placed.call_uuid} is queued.`);
      if (!values.follow) return 0;
      const followed = { tenant: placed.tenant_id, call_uuid: placed.call_uuid };
      let status = "";
      for await (const step of client.follow(followed)) {
        terminal.out(values.json ? JSON.stringify(step) : inWords(step));
        if (step.type === "status") status = step.status;
      }
      return status === "completed" ? 0 : 1;
    } catch (error) {
      if (error instanceof NoServer) throw noServer();
      throw error;
    }
  },
};

function inWords(step: CallProgress): string {
  if (step.type === "status")
    return step.ended_reason ? `— ${step.status} (${step.ended_reason})` : `— ${step.status}`;
  const latency = step.latency_ms === null ? "" : `  [${step.latency_ms} ms]`;
  return `${step.speaker === "agent" ? "Agent" : "Customer"}: ${step.text.replace(/\s+/g, " ")}${latency}`;
}
