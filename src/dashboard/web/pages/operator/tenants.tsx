/** Every company on the appliance. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Own, own } from "../../api/client.ts";
import { plansQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useEnterTenant } from "../../session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, Card } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { tenantsQuery } from "./operator-queries.ts";
import { Credit, NewTenant } from "./tenant-dialogs.tsx";

type Tenant = Own["OperatorTenant"];
type Asked = { readonly what: "credit" | "suspend"; readonly tenant: Tenant };

export function Tenants() {
  const { t, eur, number } = useText();
  const tenants = useQuery(tenantsQuery);
  const plans = useQuery(plansQuery);
  const enter = useEnterTenant();
  const doing = useDoing("operator");
  const [creating, setCreating] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const change = (tenant: Tenant, body: { plan?: string; suspended?: boolean }) =>
    doing.run(
      () =>
        answer(own.PATCH("/operator/tenants/{id}", { params: { path: { id: tenant.id } }, body })),
      t("form.saved"),
    );
  const menuOf = (tenant: Tenant) => [
    {
      label: t("settings.dialling"),
      onChoose: () => void doing.run(() => enter(tenant.id, "settings")),
    },
    { label: t("operator.credit"), onChoose: () => setAsked({ what: "credit", tenant }) },
    tenant.suspended
      ? {
          label: t("operator.resume"),
          onChoose: () => void change(tenant, { suspended: false }),
        }
      : {
          label: t("operator.suspend"),
          danger: true,
          onChoose: () => setAsked({ what: "suspend", tenant }),
        },
    null,
    t("operator.change_plan"),
    ...(plans.data ?? []).map((plan) => ({
      label: plan.name,
      checked: plan.slug === tenant.plan,
      onChoose: () => void change(tenant, { plan: plan.slug }),
    })),
  ];
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
          <Table
            caption={t("operator.tab.tenants")}
            rows={rows}
            rowKey={(tenant) => tenant.id}
            columns={[
              {
                head: t("operator.tenant"),
                cell: (tenant) => (
                  <span>
                    <span className="strong">{tenant.name}</span>
                    <br />
                    <span className="small soft">{tenant.email}</span>
                  </span>
                ),
              },
              { head: t("operator.plan"), cell: (tenant) => tenant.plan },
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
                head: t("operator.balance"),
                end: true,
                cell: (tenant) => <span className="nums">{eur(tenant.balance_eur)}</span>,
              },
              {
                head: t("action.more"),
                end: true,
                cell: (tenant) => (
                  <span className="row">
                    <Button
                      small
                      onClick={() => void doing.run(() => enter(tenant.id))}
                      aria-label={`${t("operator.enter")}: ${tenant.name}`}
                    >
                      {t("operator.enter")}
                    </Button>
                    <Menu
                      trigger={
                        <IconButton icon="more" label={`${t("action.more")}: ${tenant.name}`} />
                      }
                      entries={menuOf(tenant)}
                    />
                  </span>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <NewTenant open={creating} onOpen={setCreating} />
      {asked?.what === "credit" && <Credit tenant={asked.tenant} onClose={() => setAsked(null)} />}
      <Confirm
        title={t("operator.suspend_title", { name: asked?.tenant.name ?? "" })}
        body={t("operator.suspend_body")}
        action={t("operator.suspend")}
        open={asked?.what === "suspend"}
        onOpen={() => setAsked(null)}
        onConfirm={async () => asked && (await change(asked.tenant, { suspended: true }))}
      />
    </Card>
  );
}
