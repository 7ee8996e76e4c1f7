import fc from 'fast-check'
import type { TestApp } from '../../harness/app.ts'
import type { Json } from '../../harness/http.ts'
import { recordsOf, recordsPath } from '../../harness/records.ts'
import { objects } from './fields.ts'
import { seenTexts, texts } from './texts.ts'
import type { World } from './values.ts'

const size = 60

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3 })
const text = maybe(fc.constantFrom(...texts))
const items = (values: readonly string[]) =>
  maybe(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }).map((list) => ({ items: list })))

export const numbers = [
  -999_999_999_999.9999, -1.5, -0.0001, 0, 0.0001, 0.1, 0.3, 1, 2, 4.35, 5, 10, 100, 1e11, 999_999_999_999.9999,
]
export const domains = ['example.com', 'EXAMPLE.org', 'Bücher.example', 'a.example', 'b.a.example']
/** Of participants, whom several meetings may have. */
export const addresses = ['Ada@example.com', 'grace@EXAMPLE.org', 'max.m@bücher.example', 'ß@example.com']
export const phones = ['+1 (202) 555-0143', '+12025550143', '0800 call me', '+49 30 901820']

/** Days and instants around the one that the clock of the test stands at, and far away. */
export const datesAround = (now: number): string[] => [
  ...[
    -800, -367, -366, -365, -92, -91, -90, -60, -31, -30, -29, -28, -8, -7, -6, -2, -1, 0, 1, 2, 6, 7, 8, 30, 31, 92,
    366,
  ].map((days) => new Date(now + days * 86_400_000).toISOString().slice(0, 10)),
  '0001-01-01',
  '1999-12-31',
  '2024-02-29',
  '2024-03-31',
  '9999-12-31',
]
export const instantsAround = (now: number): string[] => [
  ...datesAround(now).flatMap((day) => [`${day}T00:00:00.000Z`, `${day}T23:59:59.999Z`]),
  ...[-86_400_000, -3_600_001, -3_600_000, -1, 0, 1, 3_600_000].map((ms) => new Date(now + ms).toISOString()),
]

const location = maybe(
  fc.oneof(
    fc.constantFrom(...texts),
    fc.record({
      city: fc.constantFrom(...texts),
      country: fc.constantFrom('Germany', 'france', 'ÎLE'),
      zip: fc.constantFrom('10115', 10_115),
    }),
    fc.constant({ at: { lines: ['B', 'a'], lat: 1.5 } }),
    fc.constant({}),
  ),
)

type Rows = fc.Arbitrary<Json>

function attributesOf(
  now: number,
  ids: (object: string) => readonly string[],
  userIds: readonly string[],
): Readonly<Record<string, Rows>> {
  const reference = (object: string): Rows => maybe(fc.constantFrom(...ids(object)))
  const user = maybe(fc.constantFrom(...userIds))
  const date = maybe(fc.constantFrom(...datesAround(now)))
  const instant = maybe(fc.constantFrom(...instantsAround(now)))
  return {
    company: fc.record({
      name: text,
      industry: text,
      employee_count: maybe(fc.constantFrom(...numbers)),
      annual_revenue: maybe(fc.constantFrom(...numbers)),
      location,
      linkedin: text,
      description: text,
      labels: items(seenTexts),
      owner_id: user,
    }),
    person: fc.record({
      name: maybe(fc.record({ first_name: fc.constantFrom(...texts), last_name: text })),
      phone_numbers: items(phones),
      job_title: text,
      company_id: reference('company'),
      linkedin: text,
      location,
      description: text,
      avatar_url: text,
      labels: items(seenTexts),
      owner_id: user,
    }),
    deal: fc.record({
      stage: maybe(fc.constantFrom(...objects['deal']![1]!.options!)),
      amount: maybe(fc.constantFrom(...numbers)),
      currency: text,
      close_date: date,
      company_id: reference('company'),
      owner_id: user,
      description: text,
      labels: items(seenTexts),
    }),
    meeting: fc.record({
      title: text,
      start: instant,
      end: instant,
      all_day: maybe(fc.boolean()),
      participants: items(addresses),
      recording_enabled: fc.boolean(),
      summary: text,
      event_id: text,
      ical_uid: text,
    }),
    task: fc.record({
      title: fc.constantFrom(...seenTexts),
      description: maybe(fc.constant({ text: [{ type: 'paragraph' }] })),
      status: maybe(fc.constantFrom(...objects['task']![2]!.options!)),
      priority: maybe(fc.constantFrom(...objects['task']![3]!.options!)),
      due_date: date,
      assignee_id: user,
      person_id: reference('person'),
      company_id: reference('company'),
      deal_id: reference('deal'),
      meeting_id: reference('meeting'),
    }),
  }
}

/** Values that only one record may have, of some. */
const unique: Readonly<Record<string, (index: number) => Json>> = {
  company: (index) =>
    index % 4 === 0
      ? { domains: { items: index < domains.length * 4 ? [domains[index / 4]] : [`c${index}.example`] } }
      : {},
  person: (index) =>
    index % 3 === 0 ? { email_addresses: { items: [`Person.${index}@Example.com`, `ß${index}@bücher.example`] } } : {},
  deal: (index) => (index % 5 === 0 ? {} : { name: `${texts[index]} ${index}` }),
}

/** Fills an app with records of every object, at different times, some changed and some deleted again. */
export async function seed(app: TestApp, now: number, randomSeed: number): Promise<void> {
  const made: Record<string, string[]> = {}
  const { admin, member, viewer } = app.userIds
  for (const object of ['company', 'person', 'deal', 'meeting', 'task']) {
    const [rows] = fc.sample(
      fc.array(attributesOf(now, (of) => made[of] ?? [''], [admin, member, viewer])[object]!, {
        minLength: size,
        maxLength: size,
      }),
      { numRuns: 1, seed: randomSeed },
    ) as [Json[]]
    const ids: string[] = (made[object] = [])
    for (let start = 0; start < size; start += 12) {
      app.stopClock(now - [400, 40, 5, 0.01, 0][start / 12]! * 86_400_000)
      // Not tasks: a member may not refer to the meetings of others.
      const records = recordsOf(app, start % 24 === 0 && object !== 'task' ? 'memberKey' : 'adminKey')
      ids.push(
        ...(
          await records.createMany(
            object,
            rows.slice(start, start + 12).map((row, index) => ({ ...row, ...unique[object]?.(start + index) })),
          )
        ).map(({ id }) => id),
      )
    }
    app.stopClock(now)
    for (const [index, id] of ids.entries())
      if (index % 7 === 3) await recordsOf(app, 'adminKey').patch(object, id, rows[(index + 1) % size])
  }
  for (const [object, ids] of Object.entries(made))
    await app.api.delete(recordsPath(object), {
      as: 'adminKey',
      body: { items: ids.filter((_, index) => index % 11 === 5) },
    })
}

/** Everything that a caller may see, as the API shows it. */
export async function worldOf(app: TestApp, as: 'adminKey' | 'memberKey'): Promise<World> {
  const world: Record<string, Map<string, Json>> = {}
  for (const object of Object.keys(objects)) {
    const { body } = await recordsOf(app, as).list(object, { 'page[limit]': 1000 })
    world[object] = new Map(body.data.map(({ id, attributes }: Json) => [id, attributes]))
  }
  return world
}
