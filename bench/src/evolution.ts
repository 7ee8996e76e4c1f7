import { setTimeout as sleep } from 'node:timers/promises'
import { openConfigured, readConfig } from '@kontor/server/admin'
import type { Fact } from './facts.ts'
import type { Options } from './options.ts'
import { startLoad, type Load } from './processes.ts'
import type { Stand } from './stand.ts'

/** The longest that a change of a schema may keep a reader or a writer of records waiting. */
const pauseMsMax = 50
/** Every batch of a clean-up is like those before it: so long is enough to see how long others wait. */
const watchedMsMax = 60_000

/** The longest that one of the requests has taken which were sent one after another. */
type Pauses = { readonly get: number; readonly create: number }

type Watch = {
  readonly loads: { readonly get: Load; readonly create: Load }
  readonly stand: Stand
  readonly seconds: number
}

/** One client that reads one record after another and one that creates one after another, for some seconds. */
async function watch({ loads, stand: { seeded, ours }, seconds }: Watch): Promise<Pauses> {
  const records = `/v1/workspaces/${seeded.workspace}/objects/person/records`
  const run = async (
    load: Load,
    request: {
      readonly method: 'GET' | 'POST'
      readonly paths: readonly string[]
      readonly bodies?: readonly string[]
    },
  ): Promise<number> => {
    const { failures, firstFailure, longest } = await load.run({
      port: ours.port,
      headers: ours.headers,
      ...request,
      connections: 1,
      seconds,
    })
    if (failures > 0) throw new Error(`${failures} requests failed, the first with ${firstFailure}`)
    return longest
  }
  const body = JSON.stringify({
    data: {
      type: 'person',
      attributes: { job_title: 'Evolving', email_addresses: { items: ['evolving{n}@example.com'] } },
    },
  })
  const [get, create] = await Promise.all([
    run(loads.get, { method: 'GET', paths: seeded.personIds.slice(0, 1000).map((id) => `${records}/${id}`) }),
    run(loads.create, { method: 'POST', paths: [records], bodies: [body] }),
  ])
  return { get, create }
}

const longest = (all: readonly Pauses[]): Pauses => ({
  get: Math.max(...all.map(({ get }) => get)),
  create: Math.max(...all.map(({ create }) => create)),
})

type Properties = Record<string, object>

/** A change of a field that all persons have a value of; one that is cleaned up after can be made once. */
type FieldChange = {
  readonly what: string
  readonly once: boolean
  readonly change: (properties: Properties, round: number) => Properties
}

/** The name of the number of a person at the moment. */
const numberIn = (properties: Properties): 'score' | 'points' => ('score' in properties ? 'score' : 'points')

const without = (properties: Properties, name: string): Properties =>
  Object.fromEntries(Object.entries(properties).filter(([one]) => one !== name))

/** In the order in which they are made. */
const changes: readonly FieldChange[] = [
  {
    what: 'add a field',
    once: false,
    change: (properties, round) => ({ ...properties, [`added_${round}`]: { xSvcType: 'text' } }),
  },
  {
    what: 'rename a field',
    once: false,
    change: (properties) => {
      const from = numberIn(properties)
      const to = from === 'score' ? 'points' : 'score'
      return { ...without(properties, from), [to]: { ...properties[from], xSvcPrevName: from } }
    },
  },
  { what: 'drop a field', once: true, change: (properties) => without(properties, numberIn(properties)) },
]

/**
 * Measures the time until a change is answered, in force, and cleaned up after, and the waits of others meanwhile,
 * beside as much time without one.
 */
export async function measureEvolution(stand: Stand, options: Options, say: (text: string) => void): Promise<Fact[]> {
  const loads = { get: startLoad(), create: startLoad() }
  const database = openConfigured(readConfig({ DATABASE_URL: stand.url }))
  const seconds = options.isQuick ? 2 : 5
  const isAtWork = async () =>
    (
      await database.reader.query(({ knex }) =>
        knex('job').select('id').where('kind', 'like', 'schemas.%').whereNull('ended_at').limit(1),
      )
    ).length > 0
  const look = (): Promise<Pauses> => watch({ loads, stand, seconds })
  try {
    await watch({ loads, stand, seconds: 2 })
    const facts: Fact[] = []
    for (const { what, once, change } of changes) {
      const [beside, during, times]: [Pauses[], Pauses[], Times[]] = [[], [], []]
      for (let round = 0; round < (once ? 1 : options.rounds); round++) {
        beside.push(await look())
        const started = performance.now()
        const watched = look()
        const made = await replace(stand, (properties) => change(properties, round))
        during.push(await watched)
        while ((await isAtWork()) && performance.now() - started < watchedMsMax) during.push(await look())
        times.push({ ...made, cleanedS: (performance.now() - started) / 1000, isClean: !(await isAtWork()) })
      }
      // For as long, since the longest of more requests is longer, whatever the machine does beside.
      while (beside.length < during.length) beside.push(await look())
      facts.push(...factsOf(what, times, longest(beside), longest(during)))
      say(
        `${what}: ${facts
          .slice(-2)
          .map(({ value }) => value)
          .join('; ')}`,
      )
    }
    return facts
  } finally {
    for (const load of Object.values(loads)) load.stop()
    await database.close()
  }
}

/** Puts a changed document; the times from then to the answer and to the end of the task. */
async function replace(
  { baseUrl, seeded, ours }: Stand,
  change: (properties: Properties) => Properties,
): Promise<{ readonly answeredMs: number; readonly inForceMs: number }> {
  const workspace = `${baseUrl}/workspaces/${seeded.workspace}`
  const call = async (
    method: string,
    url: string,
    body?: object,
  ): Promise<{ readonly data: { readonly id: string; readonly attributes: Record<string, unknown> } }> => {
    const response = await fetch(url, {
      method,
      headers: { ...ours.headers, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer: unknown = await response.json()
    if (!response.ok)
      throw new Error(`${method} ${url} answers ${response.status}: ${JSON.stringify(answer).slice(0, 500)}`)
    return answer as Awaited<ReturnType<typeof call>>
  }
  const { attributes: document } = (await call('GET', `${workspace}/schemas/objects/person`)).data
  const started = performance.now()
  const task = await call('PUT', `${workspace}/schemas/objects/person`, {
    ...document,
    properties: change(document['properties'] as Properties),
  })
  const answeredMs = performance.now() - started
  for (;;) {
    const { state } = (await call('GET', `${workspace}/async-tasks/${task.data.id}`)).data.attributes
    if (state === 'completed') return { answeredMs, inForceMs: performance.now() - started }
    if (state === 'failed') throw new Error('A change of the schema has failed')
    await sleep(5)
  }
}

type Times = {
  readonly answeredMs: number
  readonly inForceMs: number
  readonly cleanedS: number
  readonly isClean: boolean
}

function factsOf(what: string, times: readonly Times[], beside: Pauses, during: Pauses): Fact[] {
  const most = (of: (one: Times) => number): string => Math.max(...times.map(of)).toFixed(0)
  const rounds = times.length === 1 ? '' : `, of ${times.length}`
  return [
    {
      what: `${what}: the answer < ${pauseMsMax} ms, in force, cleaned up after; the longest${rounds}`,
      value:
        `${most(({ answeredMs }) => answeredMs)} ms, ${most(({ inForceMs }) => inForceMs)} ms, ` +
        `${times.every(({ isClean }) => isClean) ? '' : 'not after '}${most(({ cleanedS }) => cleanedS)} s`,
      isMet: times.every(({ answeredMs }) => answeredMs < pauseMsMax),
    },
    {
      what: `${what}: longest get and create meanwhile, at most ${pauseMsMax} ms more than without${rounds}`,
      value:
        `${during.get.toFixed(0)} and ${during.create.toFixed(0)} ms, without ${beside.get.toFixed(0)} and ` +
        `${beside.create.toFixed(0)} ms`,
      isMet: during.get - beside.get < pauseMsMax && during.create - beside.create < pauseMsMax,
    },
  ]
}
