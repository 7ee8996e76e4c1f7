import { setTimeout as sleep } from 'node:timers/promises'
import { awaitIndexes } from './indexes.ts'
import { inInstallation, measured, waitAt, type Installation, type Measured } from './installation.ts'
import { argumentsOf, positiveOr } from './options.ts'

const help = `Measures how long others wait while indexes are built that a list has requested.

  node bench/src/index-builds.ts [PERSONS] [sqlite|postgres]

One client reads a page again and again and one creates persons, for some seconds in which nothing is built, and then
until each index is ready: that of a field in order, and that of its trigrams. 100,000 persons by default.
`

const persons = positiveOr(100_000, argumentsOf(help)[0])
const perRequest = 1000
const calmMs = 10_000

const builds = {
  'an index in order': 'filter[job_title]=Title%207',
  'an index of trigrams': 'filter[job_title][Contains]=tle%207',
}

async function fill({ call }: Installation): Promise<void> {
  for (let from = 0; from < persons; from += perRequest) {
    const data = Array.from({ length: Math.min(perRequest, persons - from) }, (_, at) => ({
      type: 'person',
      attributes: { name: { first_name: 'Ada', last_name: `Person ${from + at}` }, job_title: `Title ${from + at}` },
    }))
    await call('POST', 'objects/person/records/bulk', { data })
  }
}

const create = (call: Installation['call']): Promise<unknown> =>
  call('POST', 'objects/person/records', { data: { type: 'person', attributes: { job_title: 'New' } } })

const waitsOf = (found: Measured): string => `${waitAt(found, 0.5)}, ${waitAt(found, 0.99)}, ${waitAt(found, 1 - 1e-9)}`

async function tell(installation: Installation, name: string, work: () => Promise<unknown>): Promise<void> {
  const working = work()
  const [reads, writes] = await Promise.all([
    measured(installation, () => working),
    measured(installation, () => working, create),
  ])
  console.log(
    `${name}, ${reads.seconds.toFixed(1)} s: median, p99 and longest wait in ms of a page ${waitsOf(reads)}, ` +
      `of a creation ${waitsOf(writes)}`,
  )
}

await inInstallation(async (installation) => {
  await fill(installation)
  // Until the work behind the creations is done.
  await sleep(calmMs)
  await tell(installation, 'nothing is built', () => sleep(calmMs))
  const { server, databaseUrl, headers } = installation
  for (const [name, query] of Object.entries(builds)) {
    const path = `/v1/workspaces/acme/objects/person/resources?page[limit]=1&${query}`
    const lists = [{ path }]
    await tell(installation, name, () =>
      awaitIndexes(databaseUrl, { port: server.port, headers }, lists, () => undefined),
    )
  }
})
