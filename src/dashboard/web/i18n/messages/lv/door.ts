/** Latvian: signing in and what leads there. */
export const door = {
  "door.email": "E-pasts",
  "door.password": "Parole",
  "door.password_hint": "Vismaz 12 zīmes. Der daži nesaistīti vārdi.",
  "door.name": "Jūsu vārds",
  "door.sign_in": "Ieiet",
  "door.sign_in_lead": "Jūsu uzņēmuma zvani, aģenti un iestatījumi.",
  "door.passkey": "Ieiet ar piekļuves atslēgu",
  "door.passkey_failed":
    "Piekļuves atslēga netika pieņemta. Mēģiniet vēlreiz vai lietojiet paroli.",
  "door.forgot": "Aizmirsāt paroli?",
  "door.setup_needed":
    "Šai iekārtai vēl nav īpašnieka. Atveriet vienreizējo saiti, ko tā parādīja palaižot, vai iegūstiet jaunu: linevoice setup",
  "door.totp": "Otrais solis",
  "door.totp_lead": "Ierakstiet sešus ciparus no autentifikatora vai vienu no atkopšanas kodiem.",
  "door.code": "Kods",
  "door.owner": "Sagatavojiet iekārtu",
  "door.owner_lead":
    "Jūs kļūsiet par tās operatoru un pirmā uzņēmuma īpašnieku. Noklusējuma paroļu šeit nav.",
  "door.company": "Uzņēmums",
  "door.company_hint": "Aģenti, numuri un zvani pieder uzņēmumam. Vēlāk varēsiet pievienot citus.",
  "door.create": "Izveidot kontu",
  "door.link_bad": "Šo saiti nevar izmantot",
  "door.link_bad_body":
    "Tā jau ir izmantota, beigusies vai kļūdaina. Īpašnieka saite der 30 minūtes; jaunu dod komanda: linevoice setup",
  "door.reset_bad_body": "Tā jau ir izmantota vai beigusies. Palūdziet jaunu.",
  "door.invitation": "Pievienoties: {company}",
  "door.invitation_lead": "Jūs esat ielūgts kā {role}, adrese {email}.",
  "door.invitation_account": "Jums jau ir konts: ierakstiet tā paroli.",
  "door.invitation_bad_body":
    "Ielūgums ir pieņemts, atsaukts vai beidzies. Palūdziet to nosūtīt vēlreiz.",
  "door.join": "Pievienoties",
  "door.forgot_title": "Jauna parole",
  "door.forgot_lead": "Saiti atsūtīsim pa e-pastu. Tā darbojas vienreiz.",
  "door.forgot_send": "Sūtīt saiti",
  "door.forgot_sent": "Ja tāds konts ir, vēstule jau ir ceļā.",
  "door.reset_lead": "Izvēlieties jaunu paroli. Visur tiksiet izrakstīts.",
  "door.reset_done": "Jaunā parole ir iestatīta. Ieejiet ar to.",
  "door.back": "Atpakaļ uz ieeju",
  "door.entering": "Notiek ieeja…",
} as const;
