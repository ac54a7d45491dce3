/** Latvian: signing in and what leads there. */
export const auth = {
  "auth.email": "E-pasts",
  "auth.password": "Parole",
  "auth.password_hint": "Vismaz 12 zīmes. Der daži nesaistīti vārdi.",
  "auth.name": "Jūsu vārds",
  "auth.sign_in": "Ieiet",
  "auth.sign_in_lead": "Jūsu uzņēmuma zvani, aģenti un iestatījumi.",
  "auth.passkey": "Ieiet ar piekļuves atslēgu",
  "auth.passkey_failed":
    "Piekļuves atslēga netika pieņemta. Mēģiniet vēlreiz vai lietojiet paroli.",
  "auth.forgot": "Aizmirsāt paroli?",
  "auth.setup_needed":
    "Šai iekārtai vēl nav īpašnieka. Atveriet vienreizējo saiti, ko tā parādīja palaižot, vai iegūstiet jaunu: linevoice setup",
  "auth.totp": "Otrais solis",
  "auth.totp_lead": "Ierakstiet sešus ciparus no autentifikatora vai vienu no atkopšanas kodiem.",
  "auth.code": "Kods",
  "auth.owner": "Sagatavojiet iekārtu",
  "auth.owner_lead":
    "Jūs kļūsiet par tās operatoru un pirmā uzņēmuma īpašnieku. Noklusējuma paroļu šeit nav.",
  "auth.company": "Uzņēmums",
  "auth.company_hint": "Aģenti, numuri un zvani pieder uzņēmumam. Vēlāk varēsiet pievienot citus.",
  "auth.create": "Izveidot kontu",
  "auth.link_bad": "Šo saiti nevar izmantot",
  "auth.link_bad_body":
    "Tā jau ir izmantota, beigusies vai kļūdaina. Īpašnieka saite der 30 minūtes; jaunu dod komanda: linevoice setup",
  "auth.reset_bad_body": "Tā jau ir izmantota vai beigusies. Palūdziet jaunu.",
  "auth.invitation": "Pievienoties: {company}",
  "auth.invitation_lead": "Jūs esat ielūgts kā {role}, adrese {email}.",
  "auth.invitation_account": "Jums jau ir konts: ierakstiet tā paroli.",
  "auth.invitation_bad_body":
    "Ielūgums ir pieņemts, atsaukts vai beidzies. Palūdziet to nosūtīt vēlreiz.",
  "auth.join": "Pievienoties",
  "auth.forgot_title": "Jauna parole",
  "auth.forgot_lead": "Saiti atsūtīsim pa e-pastu. Tā darbojas vienreiz.",
  "auth.forgot_send": "Sūtīt saiti",
  "auth.forgot_sent": "Ja tāds konts ir, vēstule jau ir ceļā.",
  "auth.reset_lead": "Izvēlieties jaunu paroli. Visur tiksiet izrakstīts.",
  "auth.reset_done": "Jaunā parole ir iestatīta. Ieejiet ar to.",
  "auth.back": "Atpakaļ uz ieeju",
  "auth.entering": "Notiek ieeja…",
} as const;
