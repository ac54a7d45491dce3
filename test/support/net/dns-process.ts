/**
 * Queries the system's resolvers for SRV records of a name, once at the start and once per line of
 * input.
 */
import { createDns } from "../../../src/sip/routing/dns.ts";

const [name = ""] = process.argv.slice(2);
const dns = createDns();

async function ask() {
  const found = await dns.srv(name).catch((error: Error) => error.message);
  process.stdout.write(`${JSON.stringify(found)}\n`);
}

await ask();
for await (const _ of console) await ask();
