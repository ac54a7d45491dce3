/**
 * The measured process: registers a number of trunks at `host:port`, each with a challenge. Prints
 * one JSON line.
 */
import { settled, startStack, trunkSettings } from "../../test/support/sip/sip-stack.ts";
import { REGISTERING } from "./hosts.ts";

const [proxy = "", trunks = "200"] = process.argv.slice(2);
const stack = await startStack(REGISTERING);
const before = process.cpuUsage();
const startedAt = performance.now();
const statuses = await Promise.all(
  Array.from({ length: Number(trunks) }, (_, index) => {
    const username = `t${index + 1}`;
    const account = { username, password: `pw${username}`, outboundProxy: proxy };
    return settled(stack.addTrunk(trunkSettings({ trunkId: index + 1, ...account })));
  }),
);
const seconds = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage(before);
const registered = statuses.filter(({ name }) => name === "registered").length;
console.log(
  JSON.stringify({ registered, seconds, cpuMsEach: (user + system) / 1000 / statuses.length }),
);
await stack.close();
process.exit(0);
