/** Rights of a session's person per contract (the table of roles). */
import { AppError } from "../../core/errors.ts";
import type { ActiveSession } from "../../features/identity/sessions.ts";
import { type Contract, requiredRole } from "../contract.ts";
import type { Role } from "../contracts/operation.ts";
import { forbidden } from "../problem.ts";

const RANK: Readonly<Record<Role, number>> = { viewer: 1, member: 2, owner: 3, operator: 4 };

const NEEDS: Readonly<Record<Role, string>> = {
  viewer: "Choose a company to work in first.",
  member: "Your role can view but not change. Ask an owner of the company.",
  owner: "Only an owner of the company can do this.",
  operator: "Only an operator of this appliance can do this.",
};

/** Throws forbidden. */
export function authorise(
  contract: Pick<Contract, "method" | "role" | "scope" | "notWhenActing">,
  session: ActiveSession,
): void {
  const needed = requiredRole(contract);
  if (needed === "operator") {
    if (!session.user.operator) throw forbidden(NEEDS.operator);
    return;
  }
  if (contract.scope === "user") return;
  if (!session.tenant || !session.role) throw forbidden(NEEDS.viewer);
  if (session.tenant.suspended && !session.user.operator)
    throw forbidden("This company is suspended. Ask the operator of the appliance.", "suspended");
  if (lacksSecondFactor(session)) throw secondFactorNeeded();
  if (contract.notWhenActing && session.actingUntil !== null)
    throw forbidden(
      "Only members of the company can do this. You are acting for it as the operator.",
      "acting",
    );
  if (RANK[session.role] < RANK[needed]) throw forbidden(NEEDS[needed]);
}

/** The company requires a second factor, and this sign-in has none and cannot get one. */
export const lacksSecondFactor = ({ tenant, user, method }: ActiveSession): boolean =>
  tenant?.requiresSecondFactor === true && hasNoSecondFactor({ user, method });

export const hasNoSecondFactor = ({ user, method }: Pick<ActiveSession, "user" | "method">) =>
  method !== "passkey" && user.totpSealed === null;

const secondFactorNeeded = () =>
  new AppError({
    code: "forbidden",
    field: "second_factor",
    publicMessage:
      "This company requires a second factor. Set up an authenticator in your profile, or sign in with a passkey.",
  });
