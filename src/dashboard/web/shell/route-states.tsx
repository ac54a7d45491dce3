/** Placeholders for a page that is loading, failed or does not exist. */
import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/text.tsx";
import { Page } from "../ui/page.tsx";
import { ErrorState, Skeleton } from "../ui/states.tsx";

export function Pending() {
  return (
    <div className="page">
      <Skeleton lines={6} />
    </div>
  );
}

export function Failure({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <div className="page">
      <ErrorState error={error} retry={reset} />
    </div>
  );
}

export function NotFound() {
  const { t } = useText();
  return (
    <Page title={t("state.not_found")} lead={t("state.not_found_body")}>
      <p>
        <Link to="/" className="button">
          {t("nav.home")}
        </Link>
      </p>
    </Page>
  );
}
