import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../harness/random.ts'
import type { TestApp } from '../../harness/app.ts'
import { say } from '../../harness/long-run.ts'
import { nextNumber } from '../../harness/records.ts'
import { isFull, runSeed } from '../../harness/size.ts'
import * as dependents from './dependent-operations.ts'
import { logOf } from './events.ts'
import { find, settled, withVersions } from './found.ts'
import { check, misplaced } from './history.ts'
import { getWithLinked, listLinked, changeLinks } from './link-operations.ts'
import { versionOf } from './answers.ts'
import { happen, type Happening, Pool, type Operation, type Send } from './operations.ts'
import { faulty, findMade, terminateDuring, watchRejections, type Rejections } from './outages.ts'
import * as records from './record-operations.ts'
import * as recovery from './recovery-operations.ts'
import * as schemas from './schema-operations.ts'
import * as sharing from './sharing-operations.ts'
import { repeat } from './repeated-operations.ts'
import { describeFailure, howAgain } from './report.ts'
import { begin, type People } from './scenario.ts'
import { item, place, type State } from './state.ts'

type Kind = (pool: Pool) => Operation

const kinds: readonly (readonly [weight: number, kind: Kind])[] = [
  [6, records.createItem],
  [4, records.upsertItem],
  [3, records.createItems],
  [8, records.updateItem],
  [4, records.updateItems],
  [5, records.getItem],
  [3, records.listRecords],
  [6, recovery.removeRecords],
  [8, recovery.restoreRecords],
  [3, recovery.mergeRecords],
  [8, changeLinks],
  [3, listLinked],
  [3, getWithLinked],
  [3, dependents.comment],
  [3, dependents.useComment],
  [3, dependents.changeEntries],
  [2, dependents.readEntries],
  [3, sharing.share],
  [2, sharing.revoke],
  [3, sharing.readNote],
  [2, sharing.listNotes],
  [2, sharing.changeNote],
  [5, repeat],
  [5, schemas.addElsewhere],
  [1, schemas.addField],
  [1, schemas.dropField],
]

type Settings = {
  readonly seed: number
  readonly operations: number
  readonly clients: number
  /** Operations of a client in one burst. */
  readonly each: number
  readonly nodes: readonly Send[]
  readonly people: People
  /** The connections of the app to its database are ended in the middle of bursts. */
  readonly isCutOff?: boolean
}

/** Runs so many operations, and writes what was done where they are many. */
export async function runAndReport(
  app: TestApp,
  { operations, ...given }: Pick<Settings, 'operations' | 'nodes' | 'people' | 'isCutOff'>,
): Promise<void> {
  const seed = runSeed
  const tally = await runBursts(app, { ...given, seed, operations, clients: 8, each: 3 })
  if (isFull()) say(describeTally(seed, tally))
}

const describeTally = (seed: number, { answers, ...counts }: Tally): string =>
  [
    `KONTOR_SEED=${seed} ${JSON.stringify(counts)}`,
    ...[...answers].map(([what, count]) => `  ${what}: ${count}`).toSorted(),
  ].join('\n')

/** The numbers of operations and of comparisons. */
type Tally = {
  bursts: number
  operations: number
  unknown: number
  steps: number
  /** Connections to the database that were ended. */
  terminated: number
  readonly answers: Map<string, number>
}

/** Bursts of one set of records: with more, its records would be many, and seldom meet. */
const burstsOfOneSet = 12

type Run = Settings & { readonly tally: Tally; readonly rejections: Rejections }

/**
 * Runs bursts of operations until there were enough; throws with the history of the first that no serial order
 * explains.
 */
async function runBursts(app: TestApp, settings: Settings): Promise<Tally> {
  const tally: Tally = { bursts: 0, operations: 0, unknown: 0, steps: 0, terminated: 0, answers: new Map() }
  using rejections = watchRejections()
  const run: Run = { ...settings, tally, rejections }
  let state: State | undefined
  while (tally.operations < settings.operations) {
    const mark = `set ${nextNumber()}`
    const random = new Random(settings.seed, tally.bursts)
    const pool = new Pool({
      random,
      people: settings.people,
      mark,
      extra: schemas.changing,
      nodes: settings.nodes.length,
    })
    state = await begin(app, pool, state)
    for (let burst = 0; burst < burstsOfOneSet && tally.operations < settings.operations; burst++) {
      state = await oneBurst(app, run, pool, state)
    }
  }
  if (settings.isCutOff === true && tally.terminated === 0) throw new Error('No connection was ended in any burst')
  return tally
}

async function oneBurst(app: TestApp, run: Run, pool: Pool, state: State): Promise<State> {
  const { tally } = run
  const workspaceId = await app.workspaceId('acme')
  const since = await app.numberedEvents.end(workspaceId)
  const burst = perform(run, pool)
  if (run.isCutOff === true) tally.terminated += await terminateDuring(burst, app.databaseUrl, pool.random)
  const happenings = await burst
  const evidence = await atRest(run, async () => {
    await app.idle()
    await findMade(app, pool, happenings)
    return { found: await find(app, pool), log: logOf(await app.numberedEvents.since(workspaceId, since)) }
  })
  addTo(tally, happenings)
  const wrong = [...run.rejections.words(), ...faulty(happenings)]
  if (wrong.length > 0) throw new Error([howAgain(run, tally.bursts), ...wrong].join('\n'))
  const verdict = check(state, happenings, evidence)
  tally.steps += verdict.steps
  if (verdict.kind !== 'serial')
    throw new Error(describeFailure({ settings: run, burst: tally.bursts, state, happenings, evidence, verdict }))
  const { found, log } = evidence
  const astray = misplaced(state, happenings, log, verdict.order)
  if (astray.length > 0) throw new Error([howAgain(run, tally.bursts), ...astray].join('\n'))
  return withVersions(settled(verdict.state, found), found)
}

/** Looks that are taken where a connection that was ended may still be handed out. */
const looksMax = 20

/** Looks at what is there once the server has come to rest. */
async function atRest<T>({ isCutOff = false }: Settings, look: () => Promise<T>): Promise<T> {
  for (let looks = 1; ; looks++) {
    try {
      return await look()
    } catch (error) {
      if (!isCutOff || looks === looksMax) throw error
      await sleep(looks * 10)
    }
  }
}

function addTo(tally: Tally, happenings: readonly Happening[]): void {
  tally.bursts++
  tally.operations += happenings.length
  for (const { operation, answer } of happenings) {
    const what = `${operation.words.split(' ')[0]} ${answer?.status ?? 'unknown'}`
    tally.answers.set(what, (tally.answers.get(what) ?? 0) + 1)
    if (answer === undefined) tally.unknown++
  }
}

/** Clients at once, each with some operations one after another. */
async function perform({ clients, each, nodes }: Settings, pool: Pool): Promise<Happening[]> {
  const happenings: Happening[] = []
  const client = async (index: number): Promise<void> => {
    for (let done = 0; done < each; done++) {
      if (pool.random.chance(0.2)) await sleep(pool.random.below(4))
      const node = (index + done) % nodes.length
      const happening = await happen(pool.random.weighted(kinds)(pool), nodes[node]!, `${index}@${node}`)
      happenings.push(happening)
      learn(pool, happening)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  return happenings
}

/** Clients know the records and versions that they have been told of. */
function learn(pool: Pool, { operation, answer }: Happening): void {
  if (answer === undefined || answer.status >= 300) return
  for (const id of operation.takes ?? []) pool.gone.add(id)
  for (const id of operation.brings ?? []) pool.gone.delete(id)
  const { body } = answer
  if (body?.owner_id !== undefined && !pool.comments.includes(body._id)) pool.comments.push(body._id)
  const all = [body?.data ?? body?.results?.map(({ data }: { data?: unknown }) => data ?? []) ?? []].flat()
  for (const { type, id, attributes } of all) {
    if (type === item || type === place) pool.known(type, id)
    if (type === 'object-record-access') pool.grants.set(id, attributes.object_id)
  }
  const version = versionOf(answer)
  if (version !== undefined && all.length === 1) pool.versions.set(all[0].id, version)
}
