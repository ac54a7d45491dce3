/**
 * A clinic's knowledge and three lists of callers' sentences: as written, paraphrased, and
 * off-topic. `entry`: heading that should answer.
 */
export const CLINIC_KNOWLEDGE = `# Bright Smile dental clinic

## What are your opening hours?
We are open Monday to Friday from nine to five, and on Saturday from ten to two.
Also: When are you open? / What time do you open?

## Are you open on Sunday?
No, we are closed on Sunday.
Also: Do you work at the weekend?

## Where are you located?
Our address is 12 Garden Street, next to the central station.
Also: What is your address? / How do I get to the clinic?

## Is there parking nearby?
Yes, there is free parking behind the building.
Also: Where can I park my car?

## How much does a consultation cost?
A consultation costs 40 euros.
Also: What is the price of the first visit?

## How much does teeth whitening cost?
Teeth whitening costs 200 euros.

## How much is a filling?
A filling costs from 60 to 90 euros.
Also: What does a filling cost?

## Do you accept credit cards?
We accept cash, bank cards and bank transfers.
Also: Can I pay by card? / Which payment methods do you accept?

## Do you accept insurance?
Yes, we work with all major insurance companies.
Also: Is the treatment covered by insurance?

## Do you treat children?
Yes, we treat children from three years of age.
Also: Can I bring my child?

## How do I cancel my appointment?
You can cancel for free up to 24 hours before the visit.
Also: I cannot come to my appointment

## Can I change my appointment to another day?
Yes, tell us the new day and we will move your appointment.
Also: I want to reschedule my appointment

## What should I bring to my first visit?
Please bring your identity card and your insurance card.
Also: Which documents do I need?

## Do I need a referral?
No, you do not need a referral.
Also: Do I need a letter from my doctor?

## Do you offer emergency treatment?
Yes, we keep emergency places every day at eight in the morning.
Also: I have a strong toothache

## How long does a cleaning take?
A cleaning takes about 45 minutes.

## How often should I have a check up?
We recommend a check up every six months.

## Does root canal treatment hurt?
We use local anesthesia, so you should not feel pain.
Also: Is the treatment painful?

## Which languages do your doctors speak?
Our doctors speak Lithuanian, Latvian, English and Russian.
Also: Do you have a doctor who speaks Russian?

## Is the clinic accessible for a wheelchair?
Yes, there is a ramp and an elevator.

## Do you make braces?
Yes, our orthodontist fits braces after a consultation.
Also: Can I get braces for my teeth?

## Do you have dental implants?
Yes, an implant costs from 800 euros.
Also: How much does an implant cost?
`;

export interface ClinicQuestion {
  readonly said: string;
  readonly entry: string;
}

/** The headings themselves. */
export const CLINIC_AS_WRITTEN: readonly ClinicQuestion[] = [
  ...CLINIC_KNOWLEDGE.matchAll(/^## (.+)$/gm),
].map((match) => ({ said: match[1] ?? "", entry: match[1] ?? "" }));

export const CLINIC_PARAPHRASED: readonly ClinicQuestion[] = [
  { said: "Can you tell me your opening hours please?", entry: "What are your opening hours?" },
  { said: "What hours are you open?", entry: "What are your opening hours?" },
  { said: "I would like to know if you are open on Sunday", entry: "Are you open on Sunday?" },
  { said: "Please tell me your address", entry: "Where are you located?" },
  { said: "Where is the clinic located?", entry: "Where are you located?" },
  { said: "Do you have parking for my car?", entry: "Is there parking nearby?" },
  { said: "What is the price of a consultation?", entry: "How much does a consultation cost?" },
  { said: "How much do you charge for whitening?", entry: "How much does teeth whitening cost?" },
  { said: "What is the cost of teeth whitening?", entry: "How much does teeth whitening cost?" },
  { said: "How much does a filling cost?", entry: "How much is a filling?" },
  { said: "Can I pay with a credit card?", entry: "Do you accept credit cards?" },
  { said: "Is it covered by my insurance?", entry: "Do you accept insurance?" },
  { said: "Do you work with insurance companies?", entry: "Do you accept insurance?" },
  { said: "Do you see children?", entry: "Do you treat children?" },
  { said: "Is it possible to bring my children?", entry: "Do you treat children?" },
  { said: "I need to cancel my appointment", entry: "How do I cancel my appointment?" },
  {
    said: "I need to move my appointment to another day",
    entry: "Can I change my appointment to another day?",
  },
  { said: "What documents should I bring?", entry: "What should I bring to my first visit?" },
  { said: "Is a referral needed?", entry: "Do I need a referral?" },
  {
    said: "I have a toothache, is there an emergency treatment?",
    entry: "Do you offer emergency treatment?",
  },
  { said: "How long is a cleaning?", entry: "How long does a cleaning take?" },
  { said: "How often do I need a check up?", entry: "How often should I have a check up?" },
  { said: "Is root canal treatment painful?", entry: "Does root canal treatment hurt?" },
  { said: "Does the doctor speak Russian?", entry: "Which languages do your doctors speak?" },
  {
    said: "Is it accessible with a wheelchair?",
    entry: "Is the clinic accessible for a wheelchair?",
  },
  { said: "I want to get braces", entry: "Do you make braces?" },
  { said: "What is the price of an implant?", entry: "Do you have dental implants?" },
];

export const CLINIC_OFF_TOPIC: readonly string[] = [
  "What is the weather like tomorrow?",
  "Can you recommend a good restaurant?",
  "Who won the football match yesterday?",
  "I am looking for a new washing machine",
  "How tall is the highest mountain in the world?",
  "My computer does not start any more",
  "Tell me a funny story about elephants",
  "When does the next train to Paris leave?",
  "Do you sell bicycles?",
  "I lost my password for the bank",
  "What is the capital of Australia?",
  "How do I bake a chocolate cake?",
  "Can you play some music?",
  "My flight was delayed by three hours",
  "Which movie should I watch tonight?",
  "The kitchen sink is leaking again",
  "I want to order a large pizza with mushrooms",
  "Could you book a hotel room in Rome?",
  "My neighbour has a very loud dog",
  "Where can I buy winter tyres?",
];
