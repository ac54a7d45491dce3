/** Every company on the appliance, in pages. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Own, own } from "../../api/client.ts";
import { plansQuery } from "../../api/queries.ts";
import { type Texts, useText } from "../../i18n/text.tsx";
import { useEnterTenant, useSession } from "../../session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ConfirmAbout } from "../../ui/dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, Card, StatusIndicator, type Tone } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Pager, Table } from "../../ui/table.tsx";
import { Invite } from "../team/invite.tsx";
import { tenantsQuery } from "./operator-queries.ts";
import { Credit, NewTenant } from "./tenant-dialogs.tsx";

type Tenant = Own["TenantHealth"];
type Change = { readonly plan?: string; readonly suspended?: boolean };
type Asked = {
  readonly what: "act" | "invite" | "credit" | "suspend";
  readonly tenant: Own["OperatorTenant"];
  /** Page to open in the company. */
  readonly page?: "settings" | undefined;
};

const LIMIT = 50;
/** From this answer time callers notice the delay. */
const SLOW_MS = 2_000;
const TRUNK_TONES: Readonly<Record<NonNullable<Tenant["trunk"]>["status"], Tone>> = {
  registered: "good",
  not_required: "good",
  registering: "warn",
  unregistered: "warn",
  failed: "bad",
  unknown: "plain",
};

export function Tenants() {
  const { t } = useText();
  const [search, setSearch] = useState("");
  const [offset, setOffset] = useState(0);
  const tenants = useQuery(tenantsQuery(search, offset, LIMIT));
  const [creating, setCreating] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  return (
    <div className="stack">
      {(search !== "" || (tenants.data?.total ?? 0) > LIMIT) && (
        <input
          type="search"
          className="input"
          aria-label={t("operator.search")}
          placeholder={t("operator.search")}
          value={search}
          maxLength={120}
          onChange={(event) => {
            setSearch(event.target.value);
            setOffset(0);
          }}
        />
      )}
      <Card
        title={t("operator.tab.tenants")}
        note={t("operator.tenants_lead")}
        actions={
          <Button variant="primary" icon="plus" onClick={() => setCreating(true)}>
            {t("operator.new_tenant")}
          </Button>
        }
        flush
      >
        <Loaded query={tenants}>
          {({ tenants: rows, total }) => (
            <>
              <div className="tenants">
                <TenantTable rows={rows} onAsk={setAsked} />
              </div>
              <Pager
                offset={offset}
                limit={LIMIT}
                shown={rows.length}
                total={total}
                onOffset={setOffset}
              />
            </>
          )}
        </Loaded>
      </Card>
      <NewTenant
        open={creating}
        onClose={() => setCreating(false)}
        onMade={(tenant) => setAsked({ what: "invite", tenant })}
      />
      <AskedAbout asked={asked} onClose={() => setAsked(null)} />
    </div>
  );
}

function useChange() {
  const { t } = useText();
  const doing = useDoing("operator");
  return ({ id }: Pick<Tenant, "id">, body: Change) =>
    doing.run(
      () => answer(own.PATCH("/operator/tenants/{id}", { params: { path: { id } }, body })),
      t("form.saved"),
    );
}

/** The open dialog about a company. */
function AskedAbout({ asked, onClose }: { asked: Asked | null; onClose: () => void }) {
  const { t } = useText();
  const doing = useDoing("operator");
  const enter = useEnterTenant();
  const change = useChange();
  return (
    <>
      {asked?.what === "invite" && <Invite ownerOf={asked.tenant} onClose={onClose} />}
      {asked?.what === "credit" && <Credit tenant={asked.tenant} onClose={onClose} />}
      <ConfirmAbout
        about={asked?.what === "act" ? asked.tenant : null}
        title={({ name }) => t("operator.act_title", { name })}
        body={t("operator.act_body")}
        action={t("operator.act")}
        onClose={onClose}
        onConfirm={(tenant) => doing.run(() => enter(tenant.id, asked?.page))}
      />
      <ConfirmAbout
        about={asked?.what === "suspend" ? asked.tenant : null}
        title={({ name }) => t("operator.suspend_title", { name })}
        body={t("operator.suspend_body")}
        action={t("operator.suspend")}
        onClose={onClose}
        onConfirm={(tenant) => change(tenant, { suspended: true })}
      />
    </>
  );
}

interface TenantActions {
  readonly onAsk: (asked: Asked) => void;
}

function TenantTable({ rows, onAsk }: { rows: readonly Tenant[] } & TenantActions) {
  const texts = useText();
  const { t, eur, number } = texts;
  if (rows.length === 0) return <EmptyState icon="contacts" title={t("operator.none_match")} />;
  return (
    <Table
      caption={t("operator.tab.tenants")}
      rows={rows}
      rowKey={(tenant) => tenant.id}
      columns={[
        {
          head: t("auth.company"),
          cell: (tenant) => <Company tenant={tenant} />,
        },
        {
          head: t("operator.live"),
          card: "labelled",
          end: true,
          cell: (tenant) => number(tenant.live_calls),
        },
        {
          head: t("operator.errors"),
          card: "labelled",
          end: true,
          cell: (tenant) => errorsOf(tenant, texts),
        },
        {
          head: t("operator.answer_time"),
          card: "labelled",
          end: true,
          cell: (tenant) => answerTimeOf(tenant, texts),
        },
        {
          head: t("operator.cost"),
          card: "labelled",
          end: true,
          cell: (tenant) => <span className="nums">{eur(tenant.cost_of_goods_eur)}</span>,
        },
        { head: t("nav.trunk"), card: "block", cell: (tenant) => <TrunkState tenant={tenant} /> },
        {
          head: t("billing.balance"),
          card: "side",
          end: true,
          cell: (tenant) => <span className="nums">{eur(tenant.balance_eur)}</span>,
        },
        {
          head: t("table.actions"),
          card: "block",
          end: true,
          cell: (tenant) => <TenantButtons tenant={tenant} onAsk={onAsk} />,
        },
      ]}
    />
  );
}

function Company({ tenant: { name, suspended, plan, email } }: { tenant: Tenant }) {
  const { t } = useText();
  return (
    <span>
      <span className="strong">{name}</span>{" "}
      {suspended && <Badge tone="bad">{t("operator.suspended")}</Badge>}
      <br />
      <span className="small soft">
        {plan} · {email}
      </span>
    </span>
  );
}

function errorsOf({ failed, calls }: Tenant, { t, number }: Texts) {
  if (calls === 0) return <span className="muted">–</span>;
  const text = t("operator.errors_of", { failed: number(failed), calls: number(calls) });
  return failed === 0 ? text : <Badge tone="bad">{text}</Badge>;
}

function answerTimeOf({ p95_ms: ms }: Tenant, { seconds }: Texts) {
  if (ms === null) return <span className="muted">–</span>;
  return ms < SLOW_MS ? seconds(ms) : <Badge tone="warn">{seconds(ms)}</Badge>;
}

function TrunkState({ tenant: { trunk } }: { tenant: Tenant }) {
  const { t } = useText();
  if (!trunk) return <span className="muted">{t("operator.no_trunk")}</span>;
  return (
    <span className="row firm" title={trunk.explanation ?? trunk.server}>
      <StatusIndicator tone={TRUNK_TONES[trunk.status]} /> {t(`trunk.status.${trunk.status}`)}
    </span>
  );
}

function TenantButtons({ tenant, onAsk }: { tenant: Tenant } & TenantActions) {
  const { t } = useText();
  const plans = useQuery(plansQuery);
  const enter = useEnterTenant();
  const { tenants } = useSession();
  const doing = useDoing();
  const change = useChange();
  const isOwn = tenants.some(({ id }) => id === tenant.id);
  const open = (page?: "settings") =>
    isOwn ? void doing.run(() => enter(tenant.id, page)) : onAsk({ what: "act", tenant, page });
  const label = t(isOwn ? "operator.enter" : "operator.act");
  return (
    <span className="row">
      <Button small onClick={() => open()} aria-label={`${label}: ${tenant.name}`}>
        {label}
      </Button>
      <Menu
        trigger={<IconButton icon="more" label={`${t("action.more")}: ${tenant.name}`} />}
        entries={[
          { label: t("settings.dialling"), onChoose: () => open("settings") },
          { label: t("operator.invite_owner"), onChoose: () => onAsk({ what: "invite", tenant }) },
          { label: t("operator.credit"), onChoose: () => onAsk({ what: "credit", tenant }) },
          tenant.suspended
            ? {
                label: t("operator.resume"),
                onChoose: () => void change(tenant, { suspended: false }),
              }
            : {
                label: t("operator.suspend"),
                danger: true,
                onChoose: () => onAsk({ what: "suspend", tenant }),
              },
          null,
          t("operator.change_plan"),
          ...(plans.data ?? []).map((plan) => ({
            label: plan.name,
            checked: plan.slug === tenant.plan,
            onChoose: () => void change(tenant, { plan: plan.slug }),
          })),
        ]}
      />
    </span>
  );
}
