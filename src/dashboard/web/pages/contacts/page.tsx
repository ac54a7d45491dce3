/** Contacts: people whom the company knows. Agents recognise and greet them. */
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { ExportAnchor } from "../../shell/confirm-session.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, Page as Frame } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Pager, Table } from "../../ui/table.tsx";
import { ContactDialog } from "./contact-dialog.tsx";
import { contactName } from "./contact-name.ts";
import { EraseDialog } from "./erase-dialog.tsx";
import { ImportDialog } from "./import-dialog.tsx";

type Contact = Rest["Contact"];
const LIMIT = 50;

const contactsQuery = (search: string, offset: number) =>
  queryOptions({
    queryKey: ["contacts", search, offset],
    queryFn: () =>
      answer(
        rest.GET("/contacts", {
          params: { query: { ...(search ? { search } : {}), offset, limit: LIMIT } },
        }),
      ),
    placeholderData: keepPreviousData,
  });

export function Page() {
  const { t } = useText();
  const navigate = useNavigate();
  const view: { search?: unknown; offset?: unknown } = useSearch({ strict: false });
  const search = view.search === undefined ? "" : String(view.search);
  const offset = typeof view.offset === "number" ? Math.max(0, view.offset) : 0;
  const contacts = useQuery(contactsQuery(search, offset));
  const [editing, setEditing] = useState<Contact | "new" | null>(null);
  const show = (next: { search?: string; offset?: number }) =>
    void navigate({ to: "/contacts", search: next, replace: true });
  return (
    <Frame
      title={t("nav.contacts")}
      lead={t("contacts.lead")}
      actions={<Actions onNew={() => setEditing("new")} />}
    >
      <input
        type="search"
        className="input"
        aria-label={t("contacts.search")}
        placeholder={t("contacts.search")}
        value={search}
        maxLength={120}
        onChange={(event) => show(event.target.value ? { search: event.target.value } : {})}
      />
      <section className="card">
        <Loaded query={contacts} lines={8}>
          {(data) =>
            data.contacts.length === 0 ? (
              <NoContacts search={search} />
            ) : (
              <>
                <ContactTable rows={data.contacts} onEdit={setEditing} />
                <Pager
                  offset={offset}
                  limit={LIMIT}
                  shown={data.contacts.length}
                  total={data.total}
                  onOffset={(next) =>
                    show({ ...(search ? { search } : {}), ...(next > 0 ? { offset: next } : {}) })
                  }
                />
              </>
            )
          }
        </Loaded>
      </section>
      {editing && (
        <ContactDialog
          contact={editing === "new" ? null : editing}
          onClose={() => setEditing(null)}
        />
      )}
    </Frame>
  );
}

function NoContacts({ search }: { search: string }) {
  const { t } = useText();
  return (
    <EmptyState icon="contacts" title={t(search ? "contacts.none_match" : "contacts.empty")}>
      {t("contacts.empty_body")}
    </EmptyState>
  );
}

/** Buttons: export, erase a person, import, new contact. */
function Actions({ onNew }: { onNew: () => void }) {
  const { t } = useText();
  const { mayChange, isOwner } = useSession();
  const [importing, setImporting] = useState(false);
  const [erasing, setErasing] = useState(false);
  return (
    <>
      <ExportAnchor icon="down" href="/api/v1/contacts/export" download="contacts.csv">
        CSV
      </ExportAnchor>
      {isOwner && <Button onClick={() => setErasing(true)}>{t("contacts.erase")}</Button>}
      {mayChange && (
        <>
          <Button onClick={() => setImporting(true)}>{t("contacts.import")}</Button>
          <Button variant="primary" icon="plus" onClick={onNew}>
            {t("contacts.new")}
          </Button>
        </>
      )}
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
      {erasing && <EraseDialog number="" onClose={() => setErasing(false)} />}
    </>
  );
}

function ContactTable(props: { rows: readonly Contact[]; onEdit: (contact: Contact) => void }) {
  const { t, birthday } = useText();
  const { mayChange } = useSession();
  return (
    <Table
      caption={t("nav.contacts")}
      rows={props.rows}
      rowKey={(contact) => contact.id}
      columns={[
        {
          head: t("contacts.name"),
          cell: (contact) => <span className="strong">{contactName(contact)}</span>,
        },
        {
          head: t("numbers.number"),
          cell: (contact) => <span className="nums">{contact.number_e164}</span>,
        },
        {
          head: t("contacts.birthday"),
          cell: (contact) => (contact.birthday ? birthday(contact.birthday) : "–"),
        },
        {
          head: t("language.label"),
          cell: (contact) => (contact.language ? t(`lang.${contact.language}`) : "–"),
        },
        {
          head: t("contacts.may"),
          card: "side",
          cell: (contact) => (
            <span className="row tight">
              {contact.do_not_call && <Badge tone="bad">{t("contacts.do_not_call")}</Badge>}
              {contact.consent && <Badge tone="good">{t("contacts.consented")}</Badge>}
              {contact.has_pin && <Badge>PIN</Badge>}
            </span>
          ),
        },
        mayChange && {
          head: t("table.actions"),
          card: "action",
          end: true,
          cell: (contact) => (
            <ContactButtons contact={contact} onEdit={() => props.onEdit(contact)} />
          ),
        },
      ]}
    />
  );
}

function ContactButtons({ contact, onEdit }: { contact: Contact; onEdit: () => void }) {
  const { t } = useText();
  const { isOwner } = useSession();
  const doing = useDoing("contacts");
  const [removing, setRemoving] = useState(false);
  const [erasing, setErasing] = useState(false);
  const name = contactName(contact);
  return (
    <span className="row">
      <Button small aria-label={`${t("action.edit")}: ${name}`} onClick={onEdit}>
        {t("action.edit")}
      </Button>
      <IconButton
        icon="trash"
        label={`${t("action.delete")}: ${name}`}
        onClick={() => setRemoving(true)}
      />
      <Confirm
        title={t("contacts.delete_title", { name })}
        body={t("contacts.delete_body")}
        action={t("action.delete")}
        open={removing}
        onOpen={setRemoving}
        onConfirm={() => {
          const path = { id: contact.id };
          return doing.run(() => answer(rest.DELETE("/contacts/{id}", { params: { path } })));
        }}
      >
        {isOwner && (
          <Button
            small
            onClick={() => {
              setRemoving(false);
              setErasing(true);
            }}
          >
            {t("contacts.erase")}
          </Button>
        )}
      </Confirm>
      {erasing && <EraseDialog number={contact.number_e164} onClose={() => setErasing(false)} />}
    </span>
  );
}
