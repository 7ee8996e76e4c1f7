import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'

const app = await startApp()
const { api } = app
const emails = '/workspaces/acme/emails'
const suppressions = '/workspaces/acme/suppressions'
const workspaceId = await app.workspaceId('acme')

let serial = 0

const write = (subject: string): Promise<unknown> =>
  app.emails.send({
    workspaceId,
    key: `letter ${++serial}`,
    actor: { kind: 'workspace-key', keyId: app.userIds.admin, workspaceId, scopes: [] },
    run: null,
    personId: null,
    inSequence: false,
    recipients: [`reader-${serial}@example.com`],
    letter: { subject, text: 'Hello.', html: null },
    files: [],
    tracksOpens: false,
    tracksClicks: false,
  })

const suppress = (): Promise<unknown> =>
  api.post(suppressions, { body: { address: `suppressed-${++serial}@example.com` } })

const idsOf = ({ data }: Json): string[] => data.map(({ id }: Json) => id)

/** Follows the links from a page on, and does something after each page. */
async function walk(first: string, between: (page: Json) => Promise<unknown> = async () => {}): Promise<string[]> {
  const ids: string[] = []
  for (let url: string | null = first; url !== null;) {
    const { status, body } = await api.get(url.replace(app.baseUrl, ''))
    expect([status, body.errors]).toEqual([200, undefined])
    ids.push(...idsOf(body))
    await between(body)
    url = body.links.next
  }
  return ids
}

for (const subject of ['b', 'C', 'a', 'B', 'c']) await write(subject)
for (let made = 0; made < 5; made++) await suppress()

test.each([
  ['e-mails', emails, () => write('d')],
  ['suppressions', suppressions, suppress],
])('a walk over %s shows each once, while new ones come at its beginning', async (_, path, add) => {
  const before = idsOf((await api.get(path)).body)
  expect(await walk(`${path}?page[limit]=2`, add)).toEqual(before)
  expect((await api.get(path)).body.meta.total_records).toBeGreaterThan(before.length)
})

test.each([
  [emails, 'subject'],
  [emails, 'sent_at'],
  [suppressions, 'address'],
  [suppressions, '_created_at'],
])('a walk over %s by %s is the list, in both directions', async (path, column) => {
  for (const dir of ['ASC', 'DESC']) {
    const sorted = `${path}?sortOrder[column]=${column}&sortOrder[dir]=${dir}`
    expect(await walk(`${sorted}&page[limit]=2`)).toEqual(idsOf((await api.get(sorted)).body))
  }
})

test('who deletes page by page deletes all', async () => {
  const all = idsOf((await api.get(suppressions)).body)
  const walked = await walk(`${suppressions}?page[limit]=2`, async (page) => {
    for (const id of idsOf(page)) await api.delete(`${suppressions}/${id}`)
  })
  expect(walked).toEqual(all)
  expect((await api.get(suppressions)).body.data).toEqual([])
})
