/** The token of a one-time link: removed from the address bar, and checked. */
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useText } from "../../i18n/text.tsx";
import { AuthFrame } from "./auth-frame.tsx";

/**
 * Reads the token in the fragment, `#token=…`, and removes it from the address bar and the history.
 */
export function useLinkToken(name = "token"): string {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get(name) ?? "");
  useEffect(() => {
    if (location.hash) history.replaceState(history.state, "", location.pathname);
  }, []);
  return token;
}

export function BadLink({ body }: { body: string }) {
  const { t } = useText();
  return (
    <AuthFrame title={t("auth.link_bad")} lead={body}>
      <p>
        <Link to="/sign-in" className="button">
          {t("auth.back")}
        </Link>
      </p>
    </AuthFrame>
  );
}
