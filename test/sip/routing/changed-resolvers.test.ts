/**
 * /etc/resolv.conf changes under a running program, as when the network comes up after it: with a real DNS server.
 */
import { afterAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dnsServer } from "../../support/net/dns-server.ts";
import { requirePeer } from "../../support/peers.ts";
import { mayMakeNamespaces, testWhere } from "../../support/privileges.ts";
import { tempDir } from "../../support/temp-dir.ts";

const ROOT = join(import.meta.dir, "../../..");
const NAME = "_sip._udp.example.com";
const SRV = { priority: 0, weight: 0, port: 5070, name: "sip.example.com" };
const dns = await dnsServer();
afterAll(() => dns.close());

testWhere(requirePeer("bwrap") && mayMakeNamespaces(), "making namespaces")(
  "after a failure the current resolvers are asked, not those of the start",
  async () => {
    const file = join(tempDir(), "resolv.conf");
    writeFileSync(file, "nameserver 127.0.0.1:1\n");
    dns.zone.set(NAME, [{ srv: [SRV] }]);
    const child = Bun.spawn(
      [
        ...["bwrap", "--dev-bind", "/", "/", "--bind", file, "/etc/resolv.conf"],
        ...[process.execPath, join(ROOT, "test/support/net/dns-process.ts"), NAME],
      ],
      { stdin: "pipe", stdout: "pipe", stderr: "inherit" },
    );
    const answers = child.stdout.getReader();
    const answer = async () => new TextDecoder().decode((await answers.read()).value);
    expect(await answer()).not.toContain("5070");
    writeFileSync(file, `nameserver ${dns.address}\n`);
    child.stdin.write("again\n");
    await child.stdin.end();
    expect(await answer()).toStartWith(`${JSON.stringify([SRV])}\n`);
    await child.exited;
  },
  30_000,
);
