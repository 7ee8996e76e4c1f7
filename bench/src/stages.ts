import { openConfigured, readConfig } from '@kontor/server/admin'
import { invoke } from '@kontor/server'
import { personAttributes } from './attributes.ts'
import { appOver } from './in-process.ts'
import { overriding } from './overriding.ts'
import { median } from './rates.ts'
import type { Seeded } from './seed.ts'

type App = ReturnType<typeof appOver>
type Call = App['calls'][number]
type Input = Readonly<Record<string, unknown>>

/** Where the time of one call goes, in the order of `invoke`. */
export const stages = [
  'authenticate',
  'workspace',
  'rate limit',
  'parse',
  'begin',
  'handler',
  'commit',
  'encode',
] as const
type Stage = (typeof stages)[number]
export type StageTimes = {
  readonly operation: string
  readonly us: Readonly<Partial<Record<Stage, number>>>
  readonly total: number
}

/** Runs `invoke` in this process, one call after another, over the seeded database. */
export async function measureStages(
  url: string,
  seeded: Seeded,
  authorization: string,
  times: number,
): Promise<StageTimes[]> {
  const database = openConfigured(readConfig({ DATABASE_URL: url }))
  const app = appOver(database, 'http://localhost')
  const path = { workspace: seeded.workspace, object: 'person' }
  let number = 0
  const person = () => ({
    type: 'person',
    attributes: personAttributes(`stage${process.pid}x`, number++, seeded.companyIds[2] as string),
  })
  const get = (index: number) => ({ ...path, id: seeded.personIds[(index * 7919) % seeded.personIds.length] })
  try {
    return [
      await measure(app, 'records.get', 'get one', authorization, times, get),
      await measure(app, 'resources.list', 'list of 50', authorization, times, () => ({
        ...path,
        page: { limit: 50 },
      })),
      await measure(app, 'records.create', 'create one', authorization, times, () => ({
        ...path,
        body: { data: person() },
      })),
      await measure(app, 'records.createMany', 'bulk of 1,000', authorization, Math.ceil(times / 100), () => ({
        ...path,
        body: { data: Array.from({ length: 1000 }, person) },
      })),
    ]
  } finally {
    await database.close()
  }
}

async function measure(
  app: App,
  name: string,
  operation: string,
  authorization: string,
  times: number,
  inputOf: (index: number) => Input,
): Promise<StageTimes> {
  const call = app.calls.find((one) => one.name === name) as Call
  const runs: Partial<Record<Stage, number>>[] = []
  for (let index = 0; index < times * 2; index++) {
    const run = await timed(app, call, authorization, inputOf(index))
    // The first half warms the compiler and the caches up.
    if (index >= times) runs.push(run)
  }
  const present = stages.filter((stage) => runs[0]?.[stage] !== undefined)
  const us = Object.fromEntries(present.map((stage) => [stage, median(runs.map((run) => run[stage] as number))]))
  const total = median(runs.map((run) => Object.values(run).reduce((sum, part) => sum + part, 0)))
  return { operation, us, total }
}

/** Stands around everything that `invoke` is handed, and takes the time there: the server has no clocks for this. */
async function timed(
  { runtime }: App,
  call: Call,
  authorization: string,
  input: Input,
): Promise<Partial<Record<Stage, number>>> {
  const us: Partial<Record<Stage, number>> = {}
  let last = performance.now()
  const end = (stage: Stage): void => {
    const now = performance.now()
    us[stage] = (now - last) * 1000
    last = now
  }
  const ended = async <T>(stage: Stage, work: Promise<T>): Promise<T> => {
    const value = await work
    end(stage)
    return value
  }
  const { database, rateLimiter } = runtime
  let writes = false
  const watched = {
    ...runtime,
    authenticate: (given: string | undefined) => ended('authenticate', runtime.authenticate(given)),
    rateLimiter: rateLimiter && {
      policy: rateLimiter.policy,
      take: (key: string) => {
        end('workspace')
        const state = rateLimiter.take(key)
        end('rate limit')
        return state
      },
    },
    database: overriding(database, {
      write: <T>(work: Parameters<typeof database.write<T>>[0]) => {
        writes = true
        end('parse')
        return ended('commit', database.write(work))
      },
    }),
  }
  const watchedCall: Call = {
    ...call,
    handler: (context, given) => {
      end(writes ? 'begin' : 'parse')
      return ended('handler', call.handler(context, given))
    },
  }
  const incoming = {
    surface: 'server' as const,
    scope: input,
    readInput: async () => input,
    authorization,
    idempotencyKey: undefined,
    ifMatch: undefined,
    requestId: 'bench',
  }
  const { body } = await invoke(watched, watchedCall, incoming)
  last = performance.now()
  JSON.stringify(body)
  end('encode')
  return us
}
