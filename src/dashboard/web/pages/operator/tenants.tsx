/** Every company on the appliance. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Own, own } from "../../api/client.ts";
import { plansQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useEnterTenant } from "../../session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ConfirmAbout } from "../../ui/dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, Card } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { tenantsQuery } from "./operator-queries.ts";
import { Credit, NewTenant } from "./tenant-dialogs.tsx";

type Tenant = Own["OperatorTenant"];
type Change = { readonly plan?: string; readonly suspended?: boolean };
type Asked = { readonly what: "credit" | "suspend"; readonly tenant: Tenant };

export function Tenants() {
  const { t } = useText();
  const tenants = useQuery(tenantsQuery);
  const doing = useDoing("operator");
  const [creating, setCreating] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const change = ({ id }: Tenant, body: Change) =>
    doing.run(
      () => answer(own.PATCH("/operator/tenants/{id}", { params: { path: { id } }, body })),
      t("form.saved"),
    );
  return (
    <Card
      title={t("operator.tab.tenants")}
      actions={
        <Button variant="primary" icon="plus" onClick={() => setCreating(true)}>
          {t("operator.new_tenant")}
        </Button>
      }
      flush
    >
      <Loaded query={tenants}>
        {(rows) => (
          <TenantTable
            rows={rows}
            onAsk={setAsked}
            onChange={(tenant, body) => void change(tenant, body)}
          />
        )}
      </Loaded>
      <NewTenant open={creating} onClose={() => setCreating(false)} />
      {asked?.what === "credit" && <Credit tenant={asked.tenant} onClose={() => setAsked(null)} />}
      <ConfirmAbout
        about={asked?.what === "suspend" ? asked.tenant : null}
        title={({ name }) => t("operator.suspend_title", { name })}
        body={t("operator.suspend_body")}
        action={t("operator.suspend")}
        onClose={() => setAsked(null)}
        onConfirm={(tenant) => change(tenant, { suspended: true })}
      />
    </Card>
  );
}

interface TenantActions {
  readonly onAsk: (asked: Asked) => void;
  readonly onChange: (tenant: Tenant, body: Change) => void;
}

function TenantTable({ rows, ...actions }: { rows: readonly Tenant[] } & TenantActions) {
  const { t, eur, number } = useText();
  return (
    <Table
      caption={t("operator.tab.tenants")}
      rows={rows}
      rowKey={(tenant) => tenant.id}
      columns={[
        {
          head: t("auth.company"),
          cell: (tenant) => (
            <span>
              <span className="strong">{tenant.name}</span>
              <br />
              <span className="small soft">{tenant.email}</span>
            </span>
          ),
        },
        { head: t("billing.tab.plan"), cell: (tenant) => tenant.plan },
        {
          head: t("operator.state"),
          cell: (tenant) => (
            <Badge tone={tenant.suspended ? "bad" : "good"}>
              {t(tenant.suspended ? "operator.suspended" : "operator.active")}
            </Badge>
          ),
        },
        { head: t("operator.live"), end: true, cell: (tenant) => number(tenant.live_calls) },
        {
          head: t("billing.balance"),
          end: true,
          cell: (tenant) => <span className="nums">{eur(tenant.balance_eur)}</span>,
        },
        {
          head: t("action.more"),
          end: true,
          cell: (tenant) => <TenantButtons tenant={tenant} {...actions} />,
        },
      ]}
    />
  );
}

function TenantButtons({ tenant, onAsk, onChange }: { tenant: Tenant } & TenantActions) {
  const { t } = useText();
  const plans = useQuery(plansQuery);
  const enter = useEnterTenant();
  const doing = useDoing();
  return (
    <span className="row">
      <Button
        small
        onClick={() => void doing.run(() => enter(tenant.id))}
        aria-label={`${t("operator.enter")}: ${tenant.name}`}
      >
        {t("operator.enter")}
      </Button>
      <Menu
        trigger={<IconButton icon="more" label={`${t("action.more")}: ${tenant.name}`} />}
        entries={[
          {
            label: t("settings.dialling"),
            onChoose: () => void doing.run(() => enter(tenant.id, "settings")),
          },
          { label: t("operator.credit"), onChoose: () => onAsk({ what: "credit", tenant }) },
          tenant.suspended
            ? {
                label: t("operator.resume"),
                onChoose: () => onChange(tenant, { suspended: false }),
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
            onChoose: () => onChange(tenant, { plan: plan.slug }),
          })),
        ]}
      />
    </span>
  );
}
