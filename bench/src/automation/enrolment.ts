import { setTimeout as sleep } from 'node:timers/promises'
import { waitUntil } from '../wait.ts'
import { measurePages, type PageTimes } from './recipients.ts'
import { countingRuns } from './runs.ts'
import type { AutomationStand, Running } from './stand.ts'

const perRequest = 1000
const lookMs = 250
/** The first steps of more runs take too long to be waited for: they are done beside the pages. */
const awaitedMax = 100_000

/** The duration of the enrolment of a list, and the memory that the server takes beyond what it had. */
export type Enrolment = {
  readonly seconds: number
  /** From the start of the campaign on, until each run has done its first step; undefined if there are too many. */
  readonly begunSeconds: number | undefined
  readonly bytes: number | undefined
  readonly pages: readonly PageTimes[]
}

type Created = { readonly data: readonly { readonly id: string }[] }

/** Makes people of a company who are in a list, a thousand in a request. */
async function fillList({ call }: Running, listId: string, companyId: string, count: number): Promise<void> {
  for (let start = 0; start < count; start += perRequest) {
    const data = Array.from({ length: Math.min(perRequest, count - start) }, (_, index) => ({
      type: 'person',
      attributes: {
        name: { first_name: 'Reader', last_name: `Number ${start + index}` },
        email_addresses: { items: [`reader-${start + index}@example.com`] },
        company_id: companyId,
      },
    }))
    const created = (await call('POST', '/objects/person/records/bulk', { data })) as unknown as Created
    await call('POST', `/objects/person/lists/${listId}/resources`, {
      data: created.data.map(({ id }) => ({ type: 'person', id })),
    })
  }
}

async function untilBegun(stand: AutomationStand, id: string, count: number): Promise<void> {
  const runs = countingRuns(stand)
  await waitUntil(async () => (await runs.count(id, 'waiting')) >= count, 'the runs wait', 1000)
  await runs.close()
}

/** Enrols the members of a list in a campaign whose first step waits for days. */
export async function measureEnrolment(stand: AutomationStand, running: Running, count: number): Promise<Enrolment> {
  const { call, server } = running
  const list = (await call('POST', '/objects/person/lists', { title: 'Readers', type: 'static' })).data.id
  const company = async (title: string) =>
    (await call('POST', '/objects/company/records', { data: { type: 'company', attributes: { name: title } } })).data.id
  const companies = { ofAll: await company('Readers'), ofNone: await company('Nobody') }
  await fillList(running, list, companies.ofAll, count)
  const wait = { plugin_id: 'general:delay:for', input: { amount: 30, unit: 'days' } }
  const { id } = (await call('POST', '/campaigns', { name: 'Readers', list_id: list, blocks: { wait } })).data
  const before = server.residentBytes()
  const started = performance.now()
  const { attributes } = (await call('POST', `/campaigns/${id}/start`)).data
  let most = before ?? 0
  const state = async () =>
    (await call('GET', `/async-tasks/${String(attributes['enrolment_task_id'])}`)).data.attributes
  for (let task = await state(); task['state'] !== 'completed'; task = await state()) {
    if (task['state'] === 'failed') throw new Error(`the enrolment failed: ${JSON.stringify(task)}`)
    most = Math.max(most, server.residentBytes() ?? 0)
    await sleep(lookMs)
  }
  const seconds = (performance.now() - started) / 1000
  const isAwaited = count <= awaitedMax
  if (isAwaited) await untilBegun(stand, id, count)
  const begunSeconds = isAwaited ? (performance.now() - started) / 1000 : undefined
  const pages = await measurePages(running, id, count, companies)
  await call('DELETE', `/campaigns/${id}`)
  return { seconds, begunSeconds, bytes: before === undefined ? undefined : most - before, pages }
}
