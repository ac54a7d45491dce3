/** API keys. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { keysQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { curlOf } from "../../ui/copy.tsx";
import { ConfirmAbout } from "../../ui/dialog.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Card } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { AddKey } from "./add-key.tsx";

type Key = Rest["ApiKey"];

export function Page() {
  const { t } = useText();
  const { isOwner } = useSession();
  const query = useQuery(keysQuery);
  return (
    <ListPage
      name="keys"
      icon="key"
      query={query}
      make={(close) => <AddKey onClose={close} />}
      mayMake={isOwner}
      rows={(rows) => <KeyTable rows={rows} />}
    >
      <Card title={t("keys.try")}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
        <pre className="code" tabIndex={0}>
          {curlOf({ method: "GET", path: "/tenant" })}
        </pre>
      </Card>
    </ListPage>
  );
}

function KeyTable({ rows }: { rows: readonly Key[] }) {
  const { t, dateTime } = useText();
  const { isOwner } = useSession();
  const doing = useDoing("keys");
  const [revoking, setRevoking] = useState<Key | null>(null);
  return (
    <>
      <Table
        caption={t("nav.keys")}
        rows={rows}
        rowKey={(key) => key.id}
        columns={[
          { head: t("numbers.label"), cell: (key) => <span className="strong">{key.label}</span> },
          { head: t("keys.prefix"), card: "side", cell: (key) => <code>{key.prefix}…</code> },
          { head: t("keys.scopes"), cell: (key) => <Limits limits={key} /> },
          {
            head: t("keys.created"),
            card: "none",
            cell: (key) => (
              <>
                {dateTime(key.created_at)}
                {key.created_by && <div className="small muted">{key.created_by}</div>}
              </>
            ),
          },
          {
            head: t("keys.last_used"),
            card: "labelled",
            cell: (key) => (key.last_used_at ? dateTime(key.last_used_at) : t("when.never")),
          },
          isOwner && {
            head: t("keys.revoke"),
            card: "action",
            end: true,
            cell: (key) => (
              <Button small variant="danger" onClick={() => setRevoking(key)}>
                {t("keys.revoke")}
              </Button>
            ),
          },
        ]}
      />
      <ConfirmAbout
        about={revoking}
        title={({ label }) => t("keys.revoke_title", { label })}
        body={t("keys.revoke_body")}
        action={t("keys.revoke")}
        onClose={() => setRevoking(null)}
        onConfirm={({ id }) =>
          doing.run(
            () => answer(rest.DELETE("/keys", { params: { query: { id } } })),
            t("keys.revoked"),
          )
        }
      />
    </>
  );
}

function Limits({ limits }: { limits: Key }) {
  const { t, dateTime } = useText();
  const { scopes, networks, expires_at } = limits;
  return (
    <>
      {scopes ? scopes.map((scope) => t(`keys.scope.${scope}`)).join(", ") : t("keys.all")}
      {networks && <div className="small muted mono">{networks.join(", ")}</div>}
      {expires_at && (
        <div className="small muted">{t("keys.until", { when: dateTime(expires_at) })}</div>
      )}
    </>
  );
}
