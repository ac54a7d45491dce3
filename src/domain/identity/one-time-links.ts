/**
 * Links that work once, for a while: the token is in the link's fragment, which no server or proxy
 * gets to see, and stored only as its SHA-256. Opening a link uses nothing up; the page's POST does.
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
  /** Default: that of the kind. */
  readonly lifeMs?: number;
}

/** Shown or mailed once. */
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
    /** In a transaction of the caller's. */
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

    /** null: no such link of this kind, used, or expired. */
    async peek(kind: LinkKind, token: string): Promise<OneTimeLink | null> {
      if (!isSecret(token)) return null;
      const link = await stores(database.read).links.byToken(hashOf(token));
      return isOpen(link, kind) ? link : null;
    },

    /** Uses it up, in a transaction of the caller's. Throws not_found. */
    async use(store: IdentityStore, kind: LinkKind, token: string): Promise<OneTimeLink> {
      const link = isSecret(token) ? await store.links.byToken(hashOf(token)) : null;
      if (!isOpen(link, kind) || !(await store.links.use(link.id, clock.now()))) throw noSuchLink();
      return link;
    },

    /** Expired ones are kept for a day, for nobody but the curious. */
    async removeOld(): Promise<void> {
      await transaction(deps, ({ links }) => links.removeExpired(clock.now() - DAY));
    },
  };
}

export const noSuchLink = () => notFound("link: it was used, is expired or was never made");
