/**
 * User accounts: combines everything about users and their permissions. The owner must `stop` it.
 */
import { describeError } from "../../core/errors.ts";
import { Account } from "./account.ts";
import { createAudit } from "./audit.ts";
import { type IdentityDependencies, transaction } from "./dependencies.ts";
import { createIdentityMailer } from "./identity-mailer.ts";
import { LockOut } from "./lock-out.ts";
import { createOneTimeLinks } from "./one-time-links.ts";
import { Passkeys } from "./passkeys.ts";
import { createPasswords } from "./passwords.ts";
import { SecondFactor } from "./second-factor.ts";
import { SESSION_IDLE_MS, Sessions } from "./sessions.ts";
import { Setup } from "./setup.ts";
import { SignIn } from "./sign-in.ts";
import { Team } from "./team.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const AUDIT_RETENTION_MS = 400 * DAY_MS;
const AUDIT_ROWS_AT_ONCE = 5_000;
const AUDIT_BATCHES_MAX = 20;
/**
 * Maximum audit rows per tenant: more than a hundred changes a day in the retention time. Limits the disk
 * space.
 */
const AUDIT_ROWS_MAX = 50_000;

export type Identity = ReturnType<typeof createIdentity>;

export function createIdentity(deps: IdentityDependencies) {
  const { clock, log } = deps;
  const sessions = new Sessions(deps);
  const passwords = createPasswords(deps.random);
  const lockOut = new LockOut(deps);
  const secondFactor = new SecondFactor(deps);
  const passkeys = new Passkeys(deps);
  const links = createOneTimeLinks(deps);
  const identityMailer = createIdentityMailer(deps);
  const signIn = new SignIn(deps, { sessions, passwords, lockOut, secondFactor, passkeys, links });
  const shared = {
    sessions,
    signIn,
    passwords,
    lockOut,
    secondFactor,
    passkeys,
    links,
    identityMailer,
  };
  let cleaning: Promise<void> = Promise.resolve();

  /** Deletes expired sessions, links, challenges, lock-outs and audit entries. */
  async function clean(): Promise<void> {
    const nowMs = clock.now();
    if (deps.trust?.mayDelete() === false) return;
    await transaction(deps, (store) => store.sessions.removeStale(nowMs, nowMs - SESSION_IDLE_MS));
    await sessions.endOverdueActing();
    await links.removeOld();
    await passkeys.removeOld();
    await lockOut.removeOld();
    await cleanAudit(deps, nowMs);
  }

  const timer = clock.every(HOUR_MS, () => {
    cleaning = clean().catch((error: unknown) =>
      log.error("identity.cleaning_failed", { error: describeError(error) }),
    );
  });

  return {
    sessions,
    signIn,
    secondFactor,
    passkeys,
    account: new Account(deps, shared),
    team: new Team(deps, shared),
    setup: new Setup(deps, shared),
    audit: createAudit(deps),
    clean,

    async stop(): Promise<void> {
      timer.cancel();
      await cleaning;
    },
  };
}

async function cleanAudit(deps: IdentityDependencies, nowMs: number): Promise<void> {
  const before = nowMs - AUDIT_RETENTION_MS;
  await transaction(deps, ({ audit }) => audit.removeBefore(before, AUDIT_ROWS_AT_ONCE));
  for (let batch = 0; batch < AUDIT_BATCHES_MAX; batch++) {
    const removed = await transaction(deps, ({ audit }) =>
      audit.removeBeyond(AUDIT_ROWS_MAX, AUDIT_ROWS_AT_ONCE),
    );
    if (removed < AUDIT_ROWS_AT_ONCE) break;
  }
}
