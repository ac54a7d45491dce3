/** The account at the provider. The password is write-only. */
import { useState } from "react";
import { answer, own } from "../../api/client.ts";
import { trunkQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { NumberField, SelectField, SwitchField, TextField } from "../../ui/field.tsx";
import { type Form, useRecordForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { Card } from "../../ui/page.tsx";
import { SendForm } from "../../ui/send-form.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { PRESETS } from "./presets.ts";
import { bodyOf, draftOf, type Trunk, type TrunkDraft } from "./trunk-draft.ts";

export function TrunkForm({ trunk, onSaved }: { trunk: Trunk | null; onSaved: () => void }) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const form = useRecordForm(trunk, trunkQuery, draftOf, { draft: "trunk", secrets: ["password"] });
  const [preset, setPreset] = useState("");

  function choose(id: string) {
    setPreset(id);
    const chosen = PRESETS.find((one) => one.id === id);
    if (chosen) {
      const { server, port, transport, register } = chosen;
      form.set({ server, port, transport, register });
    } else if (id === "pbx") form.set({ port: 5060, transport: "udp", register: true });
  }

  return (
    <Card title={t("account.menu")}>
      <SendForm
        form={form}
        action={t("action.save")}
        onSend={async (draft, { headers }) => {
          await answer(own.POST("/trunk", { body: await bodyOf(draft), headers }));
          await stale("trunk", "home", "tenant");
          showMessage(t("trunk.saved"));
          onSaved();
        }}
      >
        <SelectField
          label={t("trunk.preset")}
          name="preset"
          error={null}
          value={preset}
          onValue={choose}
          choices={[
            { value: "", label: t("trunk.preset_own") },
            { value: "pbx", label: t("trunk.preset_pbx") },
            ...PRESETS.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <Server form={form} />
        <Account form={form} stored={trunk !== null} />
        <Advanced form={form} />
      </SendForm>
    </Card>
  );
}

function Server({ form }: { form: Form<TrunkDraft> }) {
  const { t } = useText();
  return (
    <div className="columns narrow">
      <TextField
        label={t("trunk.server")}
        placeholder="sip.example.com"
        required
        {...form.bind("server")}
      />
      <SelectField
        label={t("trunk.transport")}
        choices={[
          { value: "udp", label: "UDP" },
          { value: "tcp", label: "TCP" },
          { value: "tls", label: "TLS" },
          { value: "auto", label: t("trunk.transport_auto") },
        ]}
        {...form.bind("transport")}
      />
      <NumberField
        label={t("trunk.port")}
        placeholder={form.values.transport === "tls" ? "5061" : "5060"}
        {...form.bind("port")}
      />
    </div>
  );
}

function Account({ form, stored }: { form: Form<TrunkDraft>; stored: boolean }) {
  const { t } = useText();
  return (
    <>
      <div className="columns">
        <TextField label={t("trunk.username")} autoComplete="off" {...form.bind("username")} />
        <TextField
          label={t("auth.password")}
          hint={t(stored ? "trunk.password_kept" : "trunk.password_hint")}
          type="password"
          autoComplete="new-password"
          {...form.bind("password")}
        />
      </div>
      <TextField
        label={t("trunk.caller_id")}
        hint={t("trunk.caller_id_hint")}
        type="tel"
        placeholder="+37060000001"
        required
        {...form.bind("caller_id")}
      />
      <SwitchField
        label={t("trunk.register")}
        hint={t("trunk.register_hint")}
        {...form.bind("register")}
      />
    </>
  );
}

function Advanced({ form }: { form: Form<TrunkDraft> }) {
  const { t } = useText();
  return (
    <details>
      <summary>{t("trunk.advanced")}</summary>
      <div className="columns details-body">
        <TextField label={t("trunk.realm")} optional {...form.bind("realm")} />
        <TextField
          label={t("trunk.outbound_proxy")}
          optional
          placeholder="proxy.example.com:5060"
          {...form.bind("outbound_proxy")}
        />
        <NumberField
          label={t("trunk.channels")}
          hint={t("trunk.channels_hint")}
          optional
          {...form.bind("channels")}
        />
      </div>
    </details>
  );
}
