/** A week of meetings as calendar programs write it: the current one, since what recurs is read near now. */

const dayMs = 86_400_000

/** A day of this week, Monday being 0, as calendars write it. */
function dayOf(weekday: number): string {
  const now = Date.now()
  const monday = now - ((new Date(now).getUTCDay() + 6) % 7) * dayMs
  return new Date(monday + weekday * dayMs).toISOString().slice(0, 10).replaceAll('-', '')
}

const guests: Readonly<Record<string, string>> = {
  ada: 'Ada Lovelace',
  grace: 'Grace Hopper',
  alan: 'Alan Turing',
  mary: 'Mary Somerville',
  charles: 'Charles Babbage',
}

/** Number of people who are invited in this week. */
export const guestsCount = Object.keys(guests).length

type Meeting = {
  readonly uid: string
  readonly title: string
  readonly day: number
  /** Hours and minutes in Berlin. */
  readonly from: string
  readonly until: string
  readonly with: readonly string[]
  readonly rule?: string
}

const meetings: readonly Meeting[] = [
  { uid: 'stand-up', title: 'Stand-up', day: 0, from: '0900', until: '0915', with: ['ada', 'alan'], rule: 'COUNT=5' },
  { uid: 'kick-off', title: 'Kick-off', day: 0, from: '1000', until: '1100', with: ['ada', 'grace'] },
  { uid: 'review', title: 'Design review', day: 1, from: '1400', until: '1500', with: ['grace', 'alan', 'mary'] },
  { uid: 'call', title: 'Call with a customer', day: 2, from: '1100', until: '1130', with: ['charles'] },
  { uid: 'offer', title: 'The offer', day: 3, from: '1600', until: '1700', with: ['ada', 'charles'] },
  { uid: 'retro', title: 'Looking back', day: 4, from: '1500', until: '1600', with: ['ada', 'grace', 'alan', 'mary'] },
]

/** Meetings of the week, each day of what recurs being one. */
export const meetingsCount = meetings.length + 4

const eventOf = ({ uid, title, day, from, until, with: invited, rule }: Meeting): readonly string[] => [
  'BEGIN:VEVENT',
  `UID:${uid}@calendar.example.com`,
  `SUMMARY:${title}`,
  `DTSTART;TZID=Europe/Berlin:${dayOf(day)}T${from}00`,
  `DTEND;TZID=Europe/Berlin:${dayOf(day)}T${until}00`,
  ...(rule === undefined ? [] : [`RRULE:FREQ=DAILY;${rule}`]),
  ...invited.map((name) => `ATTENDEE;CN=${guests[name] ?? name};PARTSTAT=ACCEPTED:mailto:${name}@example.com`),
  'END:VEVENT',
]

/** The file. */
export const weekOfMeetings = (): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Example//Calendar//EN',
    ...meetings.flatMap(eventOf),
    'END:VCALENDAR',
    '',
  ].join('\r\n')

type Line = readonly [speaker: string, said: string]

/** Transcripts of three of them, by their titles. */
export const said: Readonly<Record<string, readonly Line[]>> = {
  'Kick-off': [
    ['Ada Lovelace', 'Good morning. Today we begin with the analytical engine.'],
    ['Grace Hopper', 'And with a compiler for it.'],
  ],
  'Design review': [
    ['Grace Hopper', 'The bug that we found was a moth.'],
    ['Alan Turing', 'Then the machine halts after all.'],
  ],
  'The offer': [['Charles Babbage', 'We build the analytical engine for seventeen thousand pounds.']],
}

/** As notetakers send it: each word with its seconds. */
export const transcriptOf = (lines: readonly Line[]) =>
  lines.map(([speaker, text], index) => ({
    speaker,
    speaker_id: speaker,
    language: 'en',
    words: text.split(' ').map((word, place) => ({
      text: word,
      start_timestamp: index * 10 + place / 2,
      end_timestamp: index * 10 + (place + 1) / 2,
    })),
  }))
