/** The token of a one-time link: taken out of the address bar, and whether it is still good. */
import { Link, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useText } from "../../i18n/text.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { DoorFrame } from "./door.tsx";

/** `?token=…` or `#token=…` or `#…`. It does not stay in the address bar or the history. */
export function useLinkToken(): string {
  const search: { token?: unknown } = useSearch({ strict: false });
  const [token] = useState(() => {
    if (search.token !== undefined) return String(search.token);
    const hash = location.hash.slice(1);
    return new URLSearchParams(hash).get("token") ?? hash;
  });
  useEffect(() => {
    if (location.search || location.hash)
      history.replaceState(history.state, "", location.pathname);
  }, []);
  return token;
}

export function BadLink({ body }: { body: string }) {
  const { t } = useText();
  return (
    <DoorFrame title={t("door.link_bad")}>
      <div className="card">
        <EmptyState
          icon="warning"
          title={t("door.link_bad")}
          action={
            <Link to="/sign-in" className="button">
              {t("door.back")}
            </Link>
          }
        >
          {body}
        </EmptyState>
      </div>
    </DoorFrame>
  );
}
