/**
 * Links that work once and expire. The token is in the URL fragment, which no server or proxy sees,
 * and only its SHA-256 is stored. Opening a link does not use it up; the page's POST does.
 */
import { notFound } from "../../core/errors.ts";
import { type IdentityDependencies, transaction } from "./dependencies.ts";
import { hashOf, isSecret, newSecret } from "./secrets.ts";
import type { IdentityStore, LinkKind, OneTimeLink, TenantRole } from "./stores.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const LINK_LIFE_MS: Readonly<Record<LinkKind, number>> = {
  owner: 30 * MINUTE,
  sign_in: 30 * MINUTE,
  reset: HOUR,
  invitation: 7 * DAY,
};

const PAGES: Readonly<Record<LinkKind, string>> = {
  owner: "/app/owner#token=",
  sign_in: "/app/sign-in#link=",
  reset: "/app/reset-password#token=",
  invitation: "/app/invitation#token=",
};

interface LinkDraft {
  readonly kind: LinkKind;
  readonly userId?: number;
  readonly tenantId?: number;
  readonly email?: string;
  readonly role?: TenantRole;
  /** Default: depends on the kind. */
  readonly lifeMs?: number;
}

/** The link. It is shown or emailed only once. */
export interface MadeLink {
  readonly id: number;
  readonly url: string;
  readonly expiresAt: number;
}

export type OneTimeLinks = ReturnType<typeof createOneTimeLinks>;

export function createOneTimeLinks(deps: IdentityDependencies) {
  const { database, stores, clock, random, publicUrl } = deps;

  const isOpen = (link: OneTimeLink | null, kind: LinkKind): link is OneTimeLink =>
    link !== null && link.kind === kind && link.usedAt === null && link.expiresAt > clock.now();

  return {
    /** Runs in the caller's transaction. */
    async make(store: IdentityStore, draft: LinkDraft): Promise<MadeLink> {
      const token = newSecret(random);
      const nowMs = clock.now();
      const expiresAt = nowMs + (draft.lifeMs ?? LINK_LIFE_MS[draft.kind]);
      const id = await store.links.insert({
        kind: draft.kind,
        tokenHash: hashOf(token),
        userId: draft.userId ?? null,
        tenantId: draft.tenantId ?? null,
        email: draft.email ?? null,
        role: draft.role ?? null,
        createdAt: nowMs,
        expiresAt,
      });
      return { id, url: `${publicUrl()}${PAGES[draft.kind]}${token}`, expiresAt };
    },

    /** Null if no valid link of this kind exists: unknown, used or expired. */
    async peek(kind: LinkKind, token: string): Promise<OneTimeLink | null> {
      if (!isSecret(token)) return null;
      const link = await stores(database.read).links.byToken(hashOf(token));
      return isOpen(link, kind) ? link : null;
    },

    /** Uses the link, in the caller's transaction. Throws not_found. */
    async use(store: IdentityStore, kind: LinkKind, token: string): Promise<OneTimeLink> {
      const link = isSecret(token) ? await store.links.byToken(hashOf(token)) : null;
      if (!isOpen(link, kind) || !(await store.links.use(link.id, clock.now()))) throw noSuchLink();
      return link;
    },

    /** Expired links are kept for one day. */
    async removeOld(): Promise<void> {
      await transaction(deps, ({ links }) => links.removeExpired(clock.now() - DAY));
    },
  };
}

export const noSuchLink = () => notFound("link (used, expired or invalid)");
