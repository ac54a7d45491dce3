/** The session of the signed-in person, for use inside the shell. */
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { answer, own } from "./api/client.ts";
import { sessionQuery } from "./api/queries.ts";
import { forgetDrafts } from "./ui/unsaved.tsx";

export function useSession() {
  const { data } = useSuspenseQuery(sessionQuery);
  if (!data.session) throw new Error("nobody is signed in");
  const { session } = data;
  const operator = session.operator;
  const isOwner = operator || session.role === "owner";
  return {
    ...session,
    version: data.version,
    mayChange: operator || session.role === "owner" || session.role === "member",
    isOwner,
    /** An operator who acts for a company cannot manage its people. */
    managesPeople: isOwner && session.acting_until === null,
  };
}

/** Signs out and clears the cache, which holds data of the signed-in person. */
export function useLeave(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await answer(own.POST("/sign-out"));
    forgetDrafts();
    queries.clear();
    location.assign("/app/sign-in");
  };
}

/** `page`: page to open in the company; default: its first page. */
export function useEnterTenant(): (id: number, page?: "settings") => Promise<void> {
  return async (id, page) => {
    await answer(own.POST("/active-tenant", { body: { tenant_id: id } }));
    location.assign(`/app/${page ?? ""}`);
  };
}
