/** `setup` and `user` as an operator runs them, and the output of a first start. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { listeningOn, runCli, serveCli } from "../support/appliance/cli.ts";
import { Browser } from "../support/browser/dashboard-session.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(90_000);

const cwd = tempDir();
const HOST = "127.0.0.83";
const PASSWORD = "keturi zodziai be rysio";
const env = listeningOn(HOST);
const linevoice = (args: string, directory = cwd) => runCli(directory, args, { env });

const tokenIn = (text: string) => /#(?:token|link)=([\w-]{43})/.exec(text)?.[1] ?? "";

test("wrong usage returns status 2 and the correct usage; an impossible action returns status 1", async () => {
  const wrong = [
    "user",
    "user nonsense",
    "user create",
    "user create --tenant 1",
    "user create --tenant one --email a@b.example",
    "user create --tenant 1 --email a@b.example --role boss",
    "user create --tenant 1 --email a@b.example --mail",
    "user reset-password",
    "user reset-password --email a@b.example --tenant 1",
    "user list --operator",
    "user list extra",
    "setup now",
    "setup --tenant 1",
  ];
  for (const args of wrong) {
    const { status, err } = await linevoice(args);
    expect({ args, status }).toEqual({ args, status: 2 });
    expect(err).toContain("Usage: linevoice");
  }
  const impossible = [
    "user create --tenant 7 --email a@b.example",
    "user reset-password --email nobody@b.example",
  ];
  for (const args of impossible) {
    const { status, err } = await linevoice(args);
    expect({ args, status }).toEqual({ args, status: 1 });
    expect(err).toMatch(/^linevoice: (Tenant|User).* not found/);
  }
  expect((await linevoice("user --help")).out).toContain("reset-password");
});

test("accounts are created, joined and listed without a server; invalid addresses are rejected", async () => {
  await linevoice("tenant create --name First --email a@first.example");
  await linevoice("tenant create --name Second --email b@second.example");
  for (const email of ["nonsense", "@", "a@", "a b@c", `${"x".repeat(250)}@y.example`]) {
    const { status } = await linevoice(
      `user create --tenant 1 --email=${email.replace(" ", "\t")}`,
    );
    expect({ email, status }).toEqual({ email, status: 1 });
  }
  const made = await linevoice("user create --tenant 1 --email Rasa@First.example --name Rasa");
  expect(made.out).toContain("User 1, rasa@first.example, was created.");
  expect(tokenIn(made.out)).toHaveLength(43);
  const json = "user create --tenant 2 --email rasa@first.example --role viewer --operator --json";
  const joined = JSON.parse((await linevoice(json)).out);
  expect(joined).toMatchObject({
    made: false,
    user: {
      id: 1,
      name: "Rasa",
      operator: true,
      password: false,
      second_factor: false,
      tenants: [
        { id: 1, name: "First", role: "owner" },
        { id: 2, name: "Second", role: "viewer" },
      ],
    },
  });
  const listed = await linevoice("user list");
  expect(listed.out).toContain("rasa@first.example  Rasa  operator, 1 owner, 2 viewer");
  expect(JSON.parse((await linevoice("user list --json")).out)).toEqual([joined.user]);
});

test("links printed without a server work after it starts; a mailed link is sent then", async () => {
  const printed = await linevoice("user reset-password --email rasa@first.example");
  const server = await serveCli(cwd, env);
  // An operator exists, so there is no owner link.
  expect(server.text).not.toContain("Owner");
  const browser = new Browser(server.base);
  const reset = { token: tokenIn(printed.out), password: PASSWORD };
  expect((await browser.ask("POST", "/reset-password", reset)).status).toBe(200);
  const signIn = { email: "rasa@first.example", password: PASSWORD };
  expect((await browser.ask("POST", "/sign-in", signIn)).status).toBe(200);

  // Sent immediately through the control socket.
  const mailed = await linevoice("user reset-password --email rasa@first.example --mail --json");
  expect(JSON.parse(mailed.out)).toEqual({ email: "rasa@first.example", link: null });
  const outbox = join(cwd, "data/outbox");
  const mails = () => readdirSync(outbox).map((file) => readFileSync(join(outbox, file), "utf8"));
  await eventually(
    () => mails().some((mail) => mail.includes("Set a new password")),
    "the link is mailed",
  );
  await server.stop();
});

test("a first start writes the owner's link to a file; setup prints another one, which invalidates it", async () => {
  const fresh = tempDir();
  const offline = (await linevoice("setup --json", fresh)).out;
  const { text, base, stop } = await serveCli(fresh, env);
  const file = /Owner see (\S+)/.exec(text)?.[1] ?? "";
  expect(text).not.toContain("#token=");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const printed = readFileSync(file, "utf8").trim();
  expect(printed).toStartWith(`${base}/app/owner#token=`);
  const online = (await linevoice("setup", fresh)).out;
  expect(online).toContain(`${base}/app/owner#token=`);

  const browser = new Browser(base);
  const isGood = async (link: string) =>
    (await browser.ask("GET", `/owner-link?token=${tokenIn(link)}`)).text.includes('"valid":true');
  expect([await isGood(offline), await isGood(printed), await isGood(online)]).toEqual([
    false,
    false,
    true,
  ]);
  const owner = await browser.ask("POST", "/owner-link", {
    token: tokenIn(online),
    name: "Jonas",
    email: "jonas@first.example",
    password: PASSWORD,
    company: "First",
  });
  expect(owner.status).toBe(200);
  expect((await browser.fetch("GET", "/api/v1/tenant")).text).toContain('"name":"First"');
  await stop();
  const owned = await serveCli(fresh, env);
  expect([owned.text.includes("Owner"), existsSync(file)]).toEqual([false, false]);
  await owned.stop();
});

test("a second start within a day creates no other owner link; a start a day later does", async () => {
  const fresh = tempDir();
  const file = join(fresh, "data/owner-link");
  const start = async () => {
    const { text, stop } = await serveCli(fresh, env);
    await stop();
    return [/^Owner.*$/m.exec(text)?.[0] ?? "", readFileSync(file, "utf8")] as const;
  };
  const [, first] = await start();
  expect(await start()).toEqual(["Owner nobody yet   (new link: linevoice setup)", first]);
  const dayBefore = Date.now() / 1000 - 86_401;
  utimesSync(file, dayBefore, dayBefore);
  const [line, next] = await start();
  expect(line).toContain("see ");
  expect(next).not.toBe(first);
});
