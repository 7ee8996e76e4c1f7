import { expect } from 'vitest'
import type { Json } from '../../harness/http.ts'
import { isSignedWith, type Received } from '../../harness/receiver.ts'
import { until } from '../../harness/until.ts'
import { listedWord } from './actor.ts'
import type { Workspace } from './workspace.ts'

/** Leases of what was lost run out, and what was refused is tried again. */
const settleMs = 300_000

const ended = new Set(['success', 'failed', 'cancelled', 'suppressed'])

type Letter = { readonly to: readonly string[]; readonly raw: Buffer }

/** The requests and e-mails of the installation. */
export type Outside = { readonly got: readonly Received[]; readonly letters: readonly Letter[] }

async function readAll({ api, as, path }: Workspace, place: string): Promise<Json[]> {
  const all: Json[] = []
  for (let next: string | null = `${path}${place}`; next !== null;) {
    const { status, body }: { status: number; body: Json } = await api.get(next, { as })
    expect([status, body.errors]).toEqual([200, undefined])
    all.push(...body.data)
    next = body.links?.next ?? null
  }
  return all
}

/** Waits until imports and runs have ended; retries the runs whose step was under way in two losses (0271). */
async function settle(workspace: Workspace): Promise<number> {
  const { api, as, path, workflowId, actors } = workspace
  const deals = actors.flatMap(({ done }) => [...done.deals.values()])
  let retried = 0
  const settled = async (): Promise<boolean> => {
    const runs = await readAll(workspace, `/workflows/${workflowId}/runs?page[limit]=100`)
    for (const { id, attributes } of runs) {
      if (attributes.status !== 'failed') continue
      expect([id, attributes.error.code]).toEqual([id, 'worker_lost'])
      await api.post(`${path}/workflow-runs/${id}/retry`, { as, body: { from: 'failed' } })
      retried++
    }
    const open = runs.filter(({ attributes }) => !ended.has(attributes.status) || attributes.status === 'failed')
    return runs.length >= deals.length && open.length === 0
  }
  await until(settled, { withinMs: settleMs, everyMs: 2000, what: `the runs of ${workspace.slug}` })
  for (const id of actors.flatMap(({ done }) => done.imports)) {
    const look = async () => (await api.get(`${path}/imports/${id}`, { as })).body.data.attributes
    const atEnd = async () => ((await look()).ended_at === null ? false : look())
    const one = await until(atEnd, { withinMs: settleMs, what: async () => [`import ${id}`, await look()] })
    expect([id, one.state, one.rejected]).toEqual([id, 'completed', 0])
  }
  return retried
}

/** The differences between what was acknowledged and what is stored. */
async function differences(workspace: Workspace): Promise<string[]> {
  const wrong: string[] = []
  const stored = new Map<string, Json>()
  for (const { id, attributes } of await readAll(workspace, '/objects/person/resources?page[limit]=1000')) {
    if (stored.has(id)) wrong.push(`${id} is listed twice`)
    stored.set(id, attributes)
  }
  const titles = Map.groupBy(stored.values(), ({ job_title }) => job_title)
  const known = new Set<string>()
  for (const { done } of workspace.actors) {
    for (const title of done.imported) {
      const found = titles.get(title) ?? []
      if (found.length !== 1) wrong.push(`the imported ${title} is stored ${found.length} times`)
      for (const { _id } of found) known.add(_id)
    }
    for (const { id, title, company, state } of done.persons.values()) {
      known.add(id)
      const found = stored.get(id)
      if ((found !== undefined) !== (state === 'live')) wrong.push(`${title} (${id}) is not ${state}`)
      else if (found !== undefined && (found.job_title !== title || found.company_id !== company))
        wrong.push(`${id} has ${found.job_title} and ${found.company_id}, and not ${title} and ${company}`)
    }
  }
  for (const [id, { job_title }] of stored)
    if (!known.has(id)) wrong.push(`${job_title} (${id}) was not acknowledged, or is stored twice`)
  const deals = await readAll(workspace, '/objects/deal/resources?page[limit]=1000')
  const expected = workspace.actors.flatMap(({ done }) => [...done.deals.keys()])
  expect(deals.map(({ attributes }) => String(attributes.name)).toSorted()).toEqual(expected.toSorted())
  expect(deals.filter(({ attributes }) => attributes.amount !== 7)).toEqual([])
  return wrong
}

/** Waits until the dynamic list has exactly the persons whose titles it finds. */
async function expectList(workspace: Workspace): Promise<void> {
  const titlesOf = async (place: string): Promise<string[]> =>
    (await readAll(workspace, place)).map(({ attributes }) => String(attributes.job_title)).toSorted()
  const stored = await titlesOf('/objects/person/resources?page[limit]=1000')
  const listed = stored.filter((title) => title.includes(listedWord))
  const place = `/objects/person/lists/${workspace.listId}/resources?page[limit]=1000`
  await until(async () => JSON.stringify(await titlesOf(place)) === JSON.stringify(listed), {
    withinMs: settleMs,
    everyMs: 1000,
    what: `the list of ${workspace.slug} has ${listed.length} persons`,
  })
}

/** Asserts that each deal was announced by a webhook, by a request of its run, and by an e-mail, each under one id. */
async function expectAnnounced(workspace: Workspace, { got, letters }: Outside): Promise<string> {
  const { slug, actors, secret } = workspace
  const deals = new Map(actors.flatMap(({ done }) => [...done.deals].map(([name, id]) => [id, name] as const)))
  const events = () => Map.groupBy(at(got, `/${slug}/event`), ({ body }) => body.record_id as string)
  const missing = () => [...deals.keys()].filter((id) => !events().has(id))
  await until(() => missing().length === 0, { withinMs: settleMs, what: () => `webhooks of ${missing().join(' ')}` })
  const requests = Map.groupBy(at(got, `/${slug}/run`), ({ body }) => body.deal as string)
  for (const found of [events(), requests]) {
    expect(new Set(found.keys())).toEqual(new Set(deals.keys()))
    for (const [id, some] of found)
      expect(new Set(some.map(({ headers }) => headers['webhook-id'])).size, `ids of ${id}`).toBe(1)
  }
  expect(at(got, `/${slug}/event`).every((request) => isSignedWith(request, secret))).toBe(true)
  const mine = letters.map(({ raw }) => headersOf(raw)).filter(({ subject }) => subject.startsWith(`${slug} `))
  const bySubject = Map.groupBy(mine, ({ subject }) => subject)
  expect(new Set(bySubject.keys())).toEqual(new Set(deals.values()))
  for (const [subject, some] of bySubject) expect(new Set(some.map(({ messageId }) => messageId)).size, subject).toBe(1)
  const again = at(got, `/${slug}/`).length - 2 * deals.size
  return `${deals.size} runs; ${again} requests and ${mine.length - deals.size} e-mails came again, under the same ids`
}

const at = (got: readonly Received[], place: string): Received[] => got.filter(({ path }) => path.includes(place))

function headersOf(raw: Buffer): { readonly subject: string; readonly messageId: string } {
  const text = raw.toString()
  const header = (name: string): string => new RegExp(`^${name}: (.*)$`, 'im').exec(text)?.[1]?.trim() ?? ''
  return { subject: header('Subject'), messageId: header('Message-ID') }
}

/** Asserts that what was acknowledged is stored once, and came outside; returns what is worth a line. */
export async function expectWhole(workspace: Workspace, outside: Outside): Promise<string> {
  const retried = await settle(workspace)
  expect(await differences(workspace)).toEqual([])
  await expectList(workspace)
  const line = await expectAnnounced(workspace, outside)
  const persons = workspace.actors.reduce((sum, { done }) => sum + done.persons.size + done.imported.length, 0)
  return `${workspace.slug}: ${persons} persons; ${retried} runs were retried; ${line}`
}
