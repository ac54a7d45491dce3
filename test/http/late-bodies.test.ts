/** A request with a late body, or a late turn, uses its sender's current rights. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { type Browser, signedInBrowser } from "../support/browser/dashboard-session.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pickId,
  pickText,
  startApiServer,
} from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

let server: ApiServer;
let own: ApiTenant;

beforeAll(async () => {
  server = await startApiServer({ directory: tempDir() });
  own = await server.tenant();
});
afterAll(() => server.stop());

const LATE_MS = 600;

/** Sends all but the last character, then that one after `meanwhile`. Returns the status. */
async function late(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: object,
  meanwhile: () => Promise<unknown>,
): Promise<number> {
  const { hostname, port, host } = new URL(server.base);
  const text = JSON.stringify(body);
  const socket = connect(Number(port), hostname);
  const head = { host, "content-type": "application/json", "content-length": text.length };
  const lines = Object.entries({ ...head, ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write([`POST ${path} HTTP/1.1`, ...lines, "", text.slice(0, -1)].join("\r\n"));
  await Bun.sleep(LATE_MS);
  await meanwhile();
  socket.write(text.slice(-1));
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return Number(answer.toString().split(" ")[1]);
}

const cookieOf = ({ cookie, base }: Browser) => ({ cookie: cookie ?? "", origin: base });

const nothing = () => Promise.resolve();

test("a key revoked before the body is complete creates no other key; one still valid does", async () => {
  const keyed = async () => {
    const made = await ask(server, own, "POST", "/keys", {
      label: "late",
      networks: ["127.0.0.1"],
    });
    return { id: pickId(made, "key.id"), authorization: `Bearer ${pickText(made, "key.secret")}` };
  };
  const body = { label: "another", networks: ["127.0.0.1"] };
  const { authorization } = await keyed();
  expect(await late("/api/v1/keys", { authorization }, body, nothing)).toBe(200);
  const gone = await keyed();
  const revoke = () => ask(server, own, "DELETE", `/keys?id=${gone.id}`);
  const { authorization: revoked } = gone;
  expect(await late("/api/v1/keys", { authorization: revoked }, body, revoke)).toBe(401);
});

test("a key revoked while its export is queued exports nothing", async () => {
  const made = await ask(server, own, "POST", "/keys", { label: "waits" });
  const gone = { id: own.id, key: pickText(made, "key.secret") };
  const free = Promise.withResolvers<void>();
  const wish = { csv: "number\n+37060000001", dry_run: true };
  const authorization = `Bearer ${own.key}`;
  const seats = Array.from({ length: 6 }, () =>
    late("/api/v1/contacts/import", { authorization }, wish, () => free.promise),
  );
  await Bun.sleep(LATE_MS);
  const exported = ask(server, gone, "GET", "/contacts/export");
  await ask(server, own, "DELETE", `/keys?id=${pickId(made, "key.id")}`);
  free.resolve();
  expect(await Promise.all(seats)).toEqual(Array(6).fill(200));
  expect((await exported).status).toBe(401);
});

test("an owner who is removed, demoted or signed out meanwhile invites nobody", async () => {
  const chief = await signedInBrowser(server, { tenantId: own.id });
  const path = "/api/dashboard/team/invitations";
  const body = { email: "back@door.example", role: "owner" };
  const owner = () => signedInBrowser(server, { tenantId: own.id });
  expect(await late(path, cookieOf(await owner()), body, nothing)).toBe(200);
  for (const [becomes, status] of [
    [(id: number) => chief.ask("PATCH", `/team/${id}`, { role: "viewer" }), 403],
    [(id: number) => chief.ask("DELETE", `/team/${id}`), 401],
  ] as const) {
    const leaver = await owner();
    const meanwhile = async () => expect((await becomes(leaver.person.id)).status).toBe(200);
    expect(await late(path, cookieOf(leaver), body, meanwhile)).toBe(status);
  }
  const signedOut = await owner();
  const signOut = () => signedOut.ask("POST", "/sign-out");
  expect(await late(path, cookieOf(signedOut), body, signOut)).toBe(401);
});
