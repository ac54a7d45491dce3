/**
 * The way of docs/install.md, from the archive to a registered trunk, on a machine with nothing but Debian. The
 * provider is a registrar of a few lines beside it. Takes about a minute: the archive is made first, of the built program.
 */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { chmodSync, copyFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BareMachine, startBareMachine } from "../support/appliance/bare-machine.ts";
import { builtBinary } from "../support/appliance/binary.ts";
import { requirePeer } from "../support/peers.ts";
import { mayMakeNamespaces, testWhere } from "../support/privileges.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROOT = join(import.meta.dir, "../..");
const LIMIT_MS = 240_000;
const canRun = requirePeer("bwrap") && mayMakeNamespaces();
const onDebian = testWhere(canRun, "making namespaces");
const directory = tempDir();
let debian: BareMachine | null = null;

/** A provider's registrar over UDP: challenges once, then accepts with the requested expiry. */
const REGISTRAR = `
import re, socket
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.bind(("127.0.0.1", 5099))
while True:
    data, peer = sock.recvfrom(65535)
    text = data.decode()
    if not text.startswith("REGISTER"):
        continue
    keep = "".join(f"{m.group(0)}\\r\\n" for m in re.finditer(r"(?im)^(via|from|call-id|cseq|v|f|i):[^\\r]*", text))
    to = re.search(r"(?im)^(?:to|t):[^\\r]*", text).group(0) + ";tag=registrar\\r\\n"
    contact = re.search(r"(?im)^(?:contact|m):[^\\r]*", text)
    if "uthorization:" not in text:
        head = "SIP/2.0 401 Unauthorized\\r\\n" + keep + to + 'WWW-Authenticate: Digest realm="provider", nonce="n1", algorithm=MD5, qop="auth"\\r\\n'
    else:
        head = "SIP/2.0 200 OK\\r\\n" + keep + to + (contact.group(0) + ";expires=300\\r\\n" if contact else "")
    sock.sendto((head + "Content-Length: 0\\r\\n\\r\\n").encode(), peer)
`;

beforeAll(async () => {
  if (!canRun) return;
  const made = Bun.spawn([process.execPath, "scripts/release.ts", "x64"], {
    cwd: ROOT,
    env: {
      ...process.env,
      LINEVOICE_RELEASE_DIR: join(directory, "release"),
      LINEVOICE_RELEASE_PROGRAM: await builtBinary(),
      // Packed less tightly than a release, which takes a minute and a half.
      XZ_OPT: "--lzma2=preset=0,dict=4KiB,nice=273,depth=1",
    },
    stdout: "ignore",
    stderr: "pipe",
  });
  const complaint = await new Response(made.stderr).text();
  expect({ status: await made.exited, complaint }).toMatchObject({ status: 0 });
  writeFileSync(join(directory, "registrar.py"), REGISTRAR);
  chmodSync(directory, 0o755);
  for (const name of readdirSync(join(directory, "release")))
    if (name.endsWith(".tar.xz"))
      copyFileSync(join(directory, "release", name), join(directory, "linevoice.tar.xz"));
  debian = startBareMachine({ directory: tempDir(), mounts: { "/provider": directory } });
  await run("cd /tmp && tar -xf /provider/linevoice.tar.xz");
}, LIMIT_MS);

afterAll(() => debian?.stop());

async function run(command: string): Promise<string> {
  if (!debian) throw new Error("no machine");
  const done = await debian.run(command);
  expect({ command, ...done }).toMatchObject({ status: 0 });
  return done.out;
}

describe("the archive", () => {
  onDebian("says what is inside, and nothing of the directory in which it was made", async () => {
    const unpacked = "/tmp/linevoice-*-linux-x64";
    const inventory = JSON.parse(await run(`cat ${unpacked}/linevoice.cdx.json`));
    expect(inventory).toMatchObject({
      bomFormat: "CycloneDX",
      metadata: { component: { name: "linevoice" } },
      components: expect.arrayContaining([
        expect.objectContaining({ name: "bun", version: Bun.version }),
        expect.objectContaining({ name: "elysia" }),
      ]),
    });
    const search = `grep --count --text --fixed-strings "${ROOT}" ${unpacked}/linevoice`;
    const found = await debian?.run(search);
    expect(found).toEqual({ status: 1, out: "0\n" });
  });
});

describe("docs/install.md, literally", () => {
  onDebian(
    "from the archive to a registered trunk",
    async () => {
      await run("python3 /provider/registrar.py >/dev/null 2>&1 &");
      const installed = await run("cd /tmp/linevoice-*-linux-x64 && sh install.sh");
      expect(installed).toMatch(/https?:\/\/\S+\/app\/owner#token=/);
      await run('linevoice tenant create --name "Clinic" --email desk@example.com');
      await run(
        "printf %s secret | linevoice trunk set --tenant 1 --server 127.0.0.1 --port 5099 --username 37052123456 --password-stdin --caller-id +37052123456",
      );
      await run(
        "for i in 1 2 3 4 5 6 7 8 9 10; do linevoice trunk list | grep -w registered && exit 0; sleep 1; done; linevoice trunk list; exit 1",
      );
      await run("linevoice ready");
      expect(await run("linevoice doctor")).toMatch(/ok {2}engine/);
    },
    LIMIT_MS,
  );
});
