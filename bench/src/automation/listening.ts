import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fact } from '../facts.ts'
import type { Options } from '../options.ts'
import { waitUntil } from '../wait.ts'
import type { AutomationStand, Place, Running } from './stand.ts'

const mibMax = 300
/** Between an event and its listener, in single requests and in bulks: the number that it gets in the log is before. */
const p95MsMax = { single: 200, bulk: 100 }
/** Records of a bulk request. */
const bulkOf = 10
/** The share of the changes that a machine must take to count. */
const takenAtLeast = 0.95
const openedAtOnce = 100
/** Longer than the server takes to settle after its start, and than a sign of life takes to each listener. */
const settleMs = 3000
const signOfLifeMs = 45_000

/** Opens a stream; it is read, since it would be cut off otherwise. */
const listen = ({ server: { port } }: Running, { slug, headers }: Place): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const path = `/v1/workspaces/${slug}/events/stream`
    const request = get({ host: '127.0.0.1', port, path, agent: new Agent(), headers }, (answer) => {
      if (answer.statusCode === 200) resolve(answer)
      else reject(new Error(`a listener was answered ${answer.statusCode}`))
    })
    request.once('error', reject)
  })

/** The lag of each event of a creation, in milliseconds. */
function lagsOf(answer: IncomingMessage): number[] {
  const lags: number[] = []
  let rest = ''
  answer.on('data', (chunk: Buffer) => {
    rest += chunk.toString()
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data === undefined) continue
      const { attributes } = JSON.parse(data) as { readonly attributes: Record<'type' | 'created_at', string> }
      if (attributes.type === 'record.created') lags.push(Date.now() - Date.parse(attributes.created_at))
    }
  })
  return lags
}

/**
 * Measures the memory of idle listeners of a workspace, and the lag of a listener of another, at a hundred changes a
 * second and at five hundred.
 */
export async function measureListening(stand: AutomationStand, options: Options): Promise<Fact[]> {
  // All listeners come with one key.
  const running = await stand.start({ WORKSPACE_STREAMS_MAX: '15000', CREDENTIAL_STREAMS_MAX: '15000' })
  const { server } = running
  const count = options.isQuick ? 200 : 10_000
  const open: IncomingMessage[] = []
  try {
    await sleep(settleMs)
    const before = server.residentBytes()
    while (open.length < count)
      open.push(...(await Promise.all(Array.from({ length: openedAtOnce }, () => listen(running, stand.still)))))
    for (const answer of open) answer.resume()
    await sleep(options.isQuick ? settleMs : signOfLifeMs)
    const after = server.residentBytes()
    const held = before === undefined || after === undefined ? undefined : (after - before) / 2 ** 20
    const listener = await listen(running, stand.busy)
    open.push(listener)
    const rates: Rate[] = options.isQuick
      ? [{ perSecond: 10, seconds: 5, inBulks: false }]
      : [
          { perSecond: 100, seconds: 30, inBulks: false },
          { perSecond: 500, seconds: 30, inBulks: true },
        ]
    const lags = lagsOf(listener)
    const facts = held === undefined ? [] : [memoryFact(count, held)]
    for (const rate of rates) facts.push(lagFact(count, rate, await change(running, lags, rate)))
    return facts
  } finally {
    for (const answer of open) answer.destroy()
    await server.stop()
  }
}

type Rate = { readonly perSecond: number; readonly seconds: number; readonly inBulks: boolean }

type Heard = { readonly lags: readonly number[]; readonly taken: number }

/**
 * Creates companies at a rate, each in a request of its own or in bulks, until the listener has heard of all; takes its
 * lags.
 */
async function change({ call }: Running, lags: number[], { perSecond, seconds, inBulks }: Rate): Promise<Heard> {
  const atOnce = inBulks ? bulkOf : 1
  const count = perSecond * seconds
  const started = performance.now()
  const sent: Promise<unknown>[] = []
  for (let number = 0; number < count; number += atOnce) {
    const early = started + (number * 1000) / perSecond - performance.now()
    if (early > 1) await sleep(early)
    const companies = Array.from({ length: atOnce }, (_, more) => ({
      type: 'company',
      attributes: { name: `Heard ${number + more}` },
    }))
    sent.push(
      inBulks
        ? call('POST', '/objects/company/records/bulk', { data: companies })
        : call('POST', '/objects/company/records', { data: companies[0] }),
    )
  }
  await Promise.all(sent)
  const took = (performance.now() - started) / 1000
  await waitUntil(() => Promise.resolve(lags.length >= count), 'all events have come')
  return { lags: lags.splice(0).toSorted((a, b) => a - b), taken: count / took }
}

const memoryFact = (count: number, mib: number): Fact => ({
  what: `${count.toLocaleString('en-US')} idle listeners of the stream of events < ${mibMax} MiB`,
  value: `${mib.toFixed(0)} MiB`,
  isMet: mib < mibMax,
})

function lagFact(count: number, { perSecond, inBulks }: Rate, { lags, taken }: Heard): Fact {
  const at = (part: number): number => lags[Math.floor(lags.length * part)] ?? 0
  const p95 = at(0.95)
  const most = inBulks ? p95MsMax.bulk : p95MsMax.single
  return {
    what:
      `event to listener beside ${count.toLocaleString('en-US')} idle ones, under ${perSecond} changes a second` +
      `${inBulks ? ` in bulks of ${bulkOf}` : ''}: 95th percentile < ${most} ms`,
    value: `${p95} ms, median ${at(0.5)} ms, longest ${lags.at(-1)} ms; ${Math.round(taken)} changes/s`,
    ...(taken >= takenAtLeast * perSecond && { isMet: p95 < most }),
  }
}
