/** Creates or changes a contact. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { answer, type Rest, rest, type Versioned, versioned } from "../../api/client.ts";
import { numberTyped } from "../../api/number.ts";
import { useText } from "../../i18n/text.tsx";
import { AreaField, SelectField, SwitchField, TextField } from "../../ui/field.tsx";
import { type Change, type Form, useRecordForm } from "../../ui/form.ts";
import { changesOf } from "../../ui/merge.ts";
import { useStale } from "../../ui/mutate.ts";
import { FormDialog } from "../../ui/send-form.tsx";
import { useToasts } from "../../ui/toast.tsx";

const contactQuery = (id: number) =>
  queryOptions({
    queryKey: ["contacts", "one", id],
    queryFn: async (): Promise<Contact | null> =>
      await versioned(
        rest.GET("/contacts/{id}", { params: { path: { id } } }),
        (reply) => reply.contact,
      ),
  });
type Contact = Versioned<Rest["Contact"]>;
const LANGUAGES = ["lt", "lv", "en", "ru"] as const;

interface Draft {
  readonly number_e164: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly vocative: string;
  readonly birthday: string;
  readonly language: (typeof LANGUAGES)[number] | "";
  readonly notes: string;
  readonly consent: boolean;
  readonly do_not_call: boolean;
  /** Write-only: the API never returns it. */
  readonly pin: string;
}

const draftOf = (contact: Contact | null): Draft => ({
  number_e164: contact?.number_e164 ?? "",
  first_name: contact?.first_name ?? "",
  last_name: contact?.last_name ?? "",
  vocative: contact?.vocative ?? "",
  birthday: contact?.birthday ?? "",
  language: contact?.language ?? "",
  notes: contact?.notes ?? "",
  consent: contact?.consent ?? false,
  do_not_call: contact?.do_not_call ?? false,
  pin: "",
});

const bodyOf = async (draft: Draft) => ({
  number_e164: await numberTyped(draft.number_e164),
  first_name: draft.first_name,
  last_name: draft.last_name,
  vocative: draft.vocative || null,
  birthday: draft.birthday || null,
  language: draft.language || null,
  notes: draft.notes,
  consent: draft.consent,
  do_not_call: draft.do_not_call,
  ...(draft.pin ? { pin: draft.pin } : {}),
});

export function ContactDialog(props: { contact: Rest["Contact"] | null; onClose: () => void }) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const query = contactQuery(props.contact?.id ?? 0);
  const shown = props.contact && { ...props.contact, version: "" };
  const { data: contact = shown } = useQuery({ ...query, enabled: shown !== null });
  const form = useRecordForm(contact, query, draftOf);

  async function save(draft: Draft, { before, headers }: Change<Draft>) {
    if (contact) {
      const params = { path: { id: contact.id } };
      const body = changesOf(await bodyOf(before), await bodyOf(draft));
      await answer(rest.PATCH("/contacts/{id}", { params, body, headers }));
    } else await answer(rest.POST("/contacts", { body: await bodyOf(draft) }));
    await stale("contacts");
    showMessage(t("form.saved"));
    props.onClose();
  }

  return (
    <FormDialog
      wide
      title={t(contact ? "contacts.change" : "contacts.new")}
      action={t("action.save")}
      form={form}
      onSend={save}
      onClose={props.onClose}
      curl={(draft) =>
        contact
          ? { method: "PATCH", path: `/contacts/${contact.id}`, body: bodyOf(draft) }
          : { method: "POST", path: "/contacts", body: bodyOf(draft) }
      }
    >
      <Person form={form} />
      <AreaField
        label={t("call.notes")}
        hint={t("contacts.notes_hint")}
        rows={2}
        {...form.bind("notes")}
      />
      <TextField
        label={t("contacts.pin")}
        hint={t(contact?.has_pin ? "contacts.pin_kept" : "contacts.pin_hint")}
        type="password"
        autoComplete="off"
        inputMode="numeric"
        optional
        {...form.bind("pin")}
      />
      <SwitchField
        label={t("contacts.consented")}
        hint={t("contacts.consent_hint")}
        {...form.bind("consent")}
      />
      <SwitchField label={t("contacts.do_not_call")} {...form.bind("do_not_call")} />
    </FormDialog>
  );
}

/** The person's name and form of address. */
function Person({ form }: { form: Form<Draft> }) {
  const { t } = useText();
  return (
    <div className="columns">
      <TextField
        label={t("numbers.number")}
        hint={t("numbers.number_hint")}
        type="tel"
        required
        {...form.bind("number_e164")}
      />
      <SelectField
        label={t("language.label")}
        choices={[
          { value: "", label: "–" },
          ...LANGUAGES.map((value) => ({ value, label: t(`lang.${value}`) })),
        ]}
        {...form.bind("language")}
      />
      <TextField label={t("contacts.first_name")} {...form.bind("first_name")} />
      <TextField label={t("contacts.last_name")} {...form.bind("last_name")} />
      <TextField
        label={t("contacts.birthday")}
        hint={t("contacts.birthday_hint")}
        placeholder="1980-02-29"
        optional
        {...form.bind("birthday")}
      />
      <TextField
        label={t("contacts.vocative")}
        hint={t("contacts.vocative_hint")}
        optional
        {...form.bind("vocative")}
      />
    </div>
  );
}
